#define PATTERN 8

// How much of the pattern stands at each place of the text.
kernel void search(global const char *text, constant char *pattern, global uchar *matched, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    int k = 0;
    while (k < PATTERN && text[i + k] == pattern[k]) k++;
    matched[i] = k;
}
