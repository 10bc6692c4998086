/* Pipes (isa/pipe.h). No function waits for another work-item: whether packets may be written or read is seen at their
 * slots, and what is there once stays until a reservation takes it. A reservation is the number of its first packet. */
#include "isa/pipe.h"
#include "library.h"

typedef global struct abi_slot *slot_t;
enum side { READ, WRITE };

/* What does not change of a pipe. */
struct ring {
    global struct abi_pipe *head;
    uint slots, numbers;
};

/* The compiler answers these: where a pipe lies, and a reservation as a word and back. */
global struct abi_pipe *__ventus_read_pipe(read_only pipe uchar p) PURE;
global struct abi_pipe *__ventus_write_pipe(write_only pipe uchar p) PURE;
uint __ventus_reservation_word(reserve_id_t id) PURE;
reserve_id_t __ventus_reservation(uint word) PURE;

#define NO_RESERVATION (~0u) /* CLK_NULL_RESERVE_ID */

static struct ring ring_of(global struct abi_pipe *head)
{
    struct ring ring = {head, head->slots, head->numbers};
    return ring;
}

/* Words by which work-items agree are read and written atomically, with what comes before and behind them in order. */
static uint load(volatile global uint *word)
{
    FENCE();
    uint value = *word;
    FENCE();
    return value;
}

static void store(volatile global uint *word, uint value)
{
    FENCE();
    *word = value;
    FENCE();
}

/* ---- packets and slots ---- */

/* The packet that comes n packets later; n is at most the number of slots. */
static uint later(struct ring ring, uint packet, uint n)
{
    uint left = ring.numbers - packet;
    return n < left ? packet + n : n - left;
}

static slot_t slot_of(struct ring ring, uint packet) { return (slot_t)(ring.head + 1) + packet % ring.slots; }

/* May these packets be read, or written? */
static bool all_ready(struct ring ring, enum side side, uint first, uint n)
{
    for (uint i = 0; i < n; i++) {
        uint packet = later(ring, first, i);
        if (load(&slot_of(ring, packet)->state) != (side == READ ? ~packet : packet)) return false;
    }
    return true;
}

/* ---- reservations ---- */

/* If the packets are not ready because others have been faster, there may be later ones: only a count that has not moved
 * says that the pipe is full, or empty. */
static uint reserve(struct ring ring, enum side side, uint n)
{
    volatile global uint *next = side == READ ? &ring.head->next_read : &ring.head->next_write;
    bool ready;
    if (n == 0 || n > ring.slots) return NO_RESERVATION;
    uint first, now = load(next);
    do {
        first = now;
        ready = all_ready(ring, side, first, n);
        now = ready ? __sync_val_compare_and_swap(next, first, later(ring, first, n)) : load(next);
    } while (now != first);
    if (!ready) return NO_RESERVATION;
    store(&slot_of(ring, first)->reserved, n);
    return first;
}

/* The packets are handed to the other side: what was written may be read, and where something was read, the packet of the
 * next round may be written. */
static void commit(struct ring ring, enum side side, uint first)
{
    if (first >= ring.numbers) return;
    uint n = load(&slot_of(ring, first)->reserved);
    for (uint i = 0; i < n; i++) {
        uint packet = later(ring, first, i);
        store(&slot_of(ring, packet)->state, side == READ ? later(ring, packet, ring.slots) : ~packet);
    }
}

OVERLOAD bool is_valid_reserve_id(reserve_id_t id) { return __ventus_reservation_word(id) != NO_RESERVATION; }

/* ---- contents ---- */

typedef uint __attribute__((may_alias)) word_t;

static void copy(char *to, const char *from, uint size, uint align)
{
    if (align % 4 == 0 || (((uint)to | (uint)from | size) & 3) == 0)
        for (uint i = 0; i < size; i += 4) *(word_t *)(to + i) = *(const word_t *)(from + i);
    else
        for (uint i = 0; i < size; i++) to[i] = from[i];
}

/* A packet of a reservation; NULL if it has none of this index. */
static global char *contents(struct ring ring, uint first, uint index)
{
    if (first >= ring.numbers || index >= load(&slot_of(ring, first)->reserved)) return 0;
    uint slot = later(ring, first, index) % ring.slots;
    return (global char *)ring.head + ring.head->first_packet + slot * ring.head->packet_bytes;
}

/* Packets that can be read now. */
static uint count_packets(struct ring ring)
{
    uint n = 0, first = load(&ring.head->next_read);
    while (n < ring.slots && all_ready(ring, READ, later(ring, first, n), 1)) n++;
    return n;
}

/* ---- the functions of both sides, by the names that the front end gives them ---- */

/* One work-item reserves, or commits, for all of a work-group or sub-group. */
#define PIPE(NAME, SIDE, ACCESS, SUFFIX, TO, FROM) \
    int __##NAME##_pipe_4(ACCESS pipe uchar p, reserve_id_t id, uint index, void *data, uint size, uint align) \
    { \
        global char *packet = contents(ring_of(__ventus_##NAME##_pipe(p)), __ventus_reservation_word(id), index); \
        if (packet) copy(TO, FROM, size, align); \
        return packet ? 0 : -1; \
    } \
    int __##NAME##_pipe_2(ACCESS pipe uchar p, void *data, uint size, uint align) \
    { \
        uint first = reserve(ring_of(__ventus_##NAME##_pipe(p)), SIDE, 1); \
        if (first == NO_RESERVATION) return -1; \
        __##NAME##_pipe_4(p, __ventus_reservation(first), 0, data, size, align); \
        commit(ring_of(__ventus_##NAME##_pipe(p)), SIDE, first); \
        return 0; \
    } \
    reserve_id_t __reserve_##NAME##_pipe(ACCESS pipe uchar p, uint n, uint size, uint align) \
    { \
        (void)size, (void)align; \
        return __ventus_reservation(reserve(ring_of(__ventus_##NAME##_pipe(p)), SIDE, n)); \
    } \
    reserve_id_t __work_group_reserve_##NAME##_pipe(ACCESS pipe uchar p, uint n, uint size, uint align) \
    { \
        uint first = 0; \
        (void)size, (void)align; \
        if (get_local_linear_id() == 0) first = reserve(ring_of(__ventus_##NAME##_pipe(p)), SIDE, n); \
        return __ventus_reservation(work_group_broadcast(first, 0)); \
    } \
    reserve_id_t __sub_group_reserve_##NAME##_pipe(ACCESS pipe uchar p, uint n, uint size, uint align) \
    { \
        uint first = 0; \
        (void)size, (void)align; \
        if (__ventus_lane() == 0) first = reserve(ring_of(__ventus_##NAME##_pipe(p)), SIDE, n); \
        return __ventus_reservation(sub_group_broadcast(first, 0)); \
    } \
    void __commit_##NAME##_pipe(ACCESS pipe uchar p, reserve_id_t id, uint size, uint align) \
    { \
        (void)size, (void)align; \
        commit(ring_of(__ventus_##NAME##_pipe(p)), SIDE, __ventus_reservation_word(id)); \
    } \
    void __work_group_commit_##NAME##_pipe(ACCESS pipe uchar p, reserve_id_t id, uint size, uint align) \
    { \
        __ventus_barrier(3); \
        if (get_local_linear_id() == 0) __commit_##NAME##_pipe(p, id, size, align); \
    } \
    void __sub_group_commit_##NAME##_pipe(ACCESS pipe uchar p, reserve_id_t id, uint size, uint align) \
    { \
        if (__ventus_lane() == 0) __commit_##NAME##_pipe(p, id, size, align); \
    } \
    uint __get_pipe_num_packets_##SUFFIX(ACCESS pipe uchar p, uint size, uint align) \
    { \
        (void)size, (void)align; \
        return count_packets(ring_of(__ventus_##NAME##_pipe(p))); \
    } \
    uint __get_pipe_max_packets_##SUFFIX(ACCESS pipe uchar p, uint size, uint align) \
    { \
        (void)size, (void)align; \
        return __ventus_##NAME##_pipe(p)->slots; \
    }
PIPE(read, READ, read_only, ro, data, packet)
PIPE(write, WRITE, write_only, wo, packet, data)
