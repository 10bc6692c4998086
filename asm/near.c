/* Words that are nearly the same, for "did you mean".
 *
 * Called by everything that reads words people have written. */
#include "asm/near.h"

#include <stdbool.h>
#include <string.h>

unsigned asm_edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    enum { MAX = 40 };
    unsigned rows[3][MAX + 1];
    if (n > MAX || m > MAX) return MAX;
    for (size_t k = 0; k <= m; k++) rows[0][k] = (unsigned)k;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t k = 1; k <= m; k++) {
            unsigned best = last[k - 1] + (a[i - 1] != b[k - 1]);
            if (last[k] + 1 < best) best = last[k] + 1;
            if (now[k - 1] + 1 < best) best = now[k - 1] + 1;
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] && before[k - 2] + 1 < best)
                best = before[k - 2] + 1;
            now[k] = best;
        }
    }
    return rows[n % 3][m];
}

/* Letters that two words have in common at both ends. */
static size_t common_ends(const struct nearest *n, const char *candidate)
{
    size_t i = 0, k = 0, length = strlen(candidate);
    while (i < n->length && candidate[i] == n->word[i]) i++;
    while (k < n->length && k < length && candidate[length - 1 - k] == n->word[n->length - 1 - k]) k++;
    return i + k;
}

/* Of words at equal distance the one with the same ends wins. */
void near_offer(struct nearest *n, const char *candidate)
{
    size_t length = strlen(candidate);
    if (length > n->length + n->distance || n->length > length + n->distance) return;
    /* one edit leaves all but two letters in common at the ends: cheap to see, and asked of every comment */
    if (n->distance <= 2 && n->length > common_ends(n, candidate) + 2) return;
    unsigned d = asm_edit_distance(n->word, n->length, candidate, length);
    bool alike = n->best && d == n->distance && common_ends(n, candidate) > common_ends(n, n->best);
    if ((d < n->distance || alike) && d < n->length) {
        n->distance = d;
        n->best = candidate;
    }
}
