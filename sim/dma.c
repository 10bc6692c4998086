/* Asynchronous copies. They are read when they are issued, and written to local memory when cp_dma_mbarrier has waited
 * for them, so that a program without it does not see them in time. Until then they are with their warp.
 *
 * The destination address is lane 0 of a vector register, as in the public RTL, or a scalar one, as in the document.
 * Called by engines and by group.c. */
#include "sim/dma.h"

#include <stdlib.h>
#include <string.h>

#include "sim/layout.h"

enum { MAX_RANK = 5, MAX_BOX = 256, MAX_ELEMENT_STRIDE = 8, MAX_ELEMENT = 8 };

static const char outside[] = "copy whose destination is not in local memory";

/* ---- what is under way ---- */

struct copies {
    uint32_t used, room; /* bytes of pieces, one behind the other */
    uint8_t bytes[];
};

struct piece {
    uint32_t to, size; /* the bytes follow */
};

enum { MOST_COPIES = 256 << 10 /* bytes of a warp under way, for its memory: then they are complete early */ };

/* Another group's local memory may have been closed since. */
static void complete_piece(struct sm *sm, const struct piece *p, const uint8_t *bytes)
{
    if (!mem_allows(sm->gpu, p->to, p->size, GPU_WRITE)) return;
    memcpy(sm->mem + p->to, bytes, p->size);
    if (sm->reservations->count) end_reservations(sm, p->to, p->size);
}

void dma_complete(struct warp *w)
{
    const struct copies *c = w->copies;
    struct piece p;
    for (uint32_t at = 0; c && at < c->used; at += (uint32_t)sizeof p + p.size) {
        memcpy(&p, c->bytes + at, sizeof p);
        complete_piece(w->group->sm, &p, c->bytes + at + sizeof p);
    }
    dma_forget(w);
}

uint32_t warp_copies(const struct warp *w)
{
    struct piece p;
    uint32_t bytes = 0;
    for (uint32_t at = 0; w->copies && at < w->copies->used; at += (uint32_t)sizeof p + p.size) {
        memcpy(&p, w->copies->bytes + at, sizeof p);
        bytes += p.size;
    }
    return bytes;
}

void dma_forget(struct warp *w)
{
    free(w->copies);
    w->copies = NULL;
}

/* Room for so many more bytes; NULL: the host has no memory. */
static struct copies *make_room(struct warp *w, uint32_t bytes)
{
    struct copies *c = w->copies;
    uint32_t used = c ? c->used : 0, room = c ? c->room : 1024;
    if (c && used + bytes <= room) return c;
    while (room < used + bytes) room *= 2;
    c = realloc(c, sizeof *c + room);
    if (!c) return NULL;
    c->used = used;
    c->room = room;
    return w->copies = c;
}

/* A piece of a copy, of a page at most. It ends with the local window at the latest, whatever is open behind it. */
static void put(struct sm *sm, uint64_t to, const void *bytes, uint32_t size)
{
    struct warp *w = sm->warp;
    const struct piece piece = {(uint32_t)to, size};
    if (to + size > ABI_LOCAL_LIMIT)
        fault_throw(sm, FAULT_WRITE, ISA_LANES, ABI_LOCAL_LIMIT, "a copy writes local memory only");
    guest_may_write(sm, to, size);
    if (w->copies && w->copies->used > MOST_COPIES) dma_complete(w);
    struct copies *c = make_room(w, (uint32_t)sizeof piece + size);
    if (!c) fault_throw(sm, FAULT_WRITE, ISA_LANES, to, "the host has no memory for copies that are under way");
    memcpy(c->bytes + c->used, &piece, sizeof piece);
    memcpy(c->bytes + c->used + sizeof piece, bytes, size);
    c->used += (uint32_t)sizeof piece + size;
}

static uint32_t destination(const struct warp *w, const struct insn *in)
{
    bool scalar = in->op == OP_CP_DMA_BULK_X || in->op == OP_CP_DMA_TENSOR_X;
    return scalar ? w->x[in->rd] : w->v[in->rd][0];
}

/* ---- cp_dma: a few bytes, zeros behind the source's end ---- */

static const char *copy_small(struct sm *sm, const struct warp *w, const struct insn *in)
{
    uint8_t bytes[16] = {0};
    uint32_t size = (uint32_t)in->imm, source = w->x[in->rs2], to = destination(w, in);
    if (size > sizeof bytes) return "reserved copy size";
    if (!is_local(to)) return outside;
    if (source) guest_read(sm, w->x[in->rs1], bytes, source < size ? source : size);
    put(sm, to, bytes, size);
    return NULL;
}

/* ---- cp_dma_bulk: one run of memory ---- */

static const char *copy_bulk(struct sm *sm, const struct warp *w, const struct insn *in)
{
    uint8_t bytes[ABI_PAGE];
    uint32_t left = w->x[in->rs2];
    uint64_t from = w->x[in->rs1], to = destination(w, in);
    if (!left || left % 4) return "bulk copy of a size that is not a positive multiple of 4";
    if (from % 16 || to % 16) return "bulk copy between addresses that are not multiples of 16";
    if (!is_local((uint32_t)to)) return outside;
    while (left) {
        uint32_t n = left < sizeof bytes ? left : (uint32_t)sizeof bytes;
        guest_read(sm, from, bytes, n);
        put(sm, to, bytes, n);
        from += n, to += n, left -= n;
    }
    return NULL;
}

/* ---- cp_dma_tensor: a box of a tensor ---- */

/* Lanes of the two descriptors. */
enum { TENSOR_TYPE = 0, TENSOR_RANK = 1, TENSOR_ADDRESS = 2, TENSOR_SIZES = 3, TENSOR_STRIDES = 8 };
enum {
    BOX_START = 0,
    BOX_SIZES = 1,
    BOX_STEPS = 6,
    BOX_INTERLEAVE = 11,
    BOX_SWIZZLE = 12,
    BOX_FILL = 14,
    BOX_LANES = 15
};

/* Element types by code: u8 u16 u32 s32 u64 s64 f16 f32 f64 bf16, f32 flushed, tf32, tf32 flushed. They
 * say how large an element is and whether it can be filled with NaN; no element is changed. */
// clang-format off
static const struct { uint8_t size; bool is_float; } elements[] = {
    {1, false}, {2, false}, {4, false}, {4, false}, {8, false}, {8, false}, {2, true},
    {4, true}, {8, true}, {2, true}, {4, true}, {4, true}, {4, true},
};
// clang-format on

struct dimension {
    int64_t size, stride; /* of the tensor: elements, bytes between them */
    int64_t start;        /* coordinate the box begins at, perhaps outside */
    int64_t step, count;  /* between the box's elements, and how many they are */
};

struct box {
    unsigned rank, element; /* bytes of an element */
    bool by_document;       /* and not by the public RTL */
    uint8_t fill;
    uint32_t piece;   /* bytes that stay together: a row, or a part of it */
    uint32_t unit;    /* interleaved: so many bytes of each of ... */
    uint64_t rows;    /* ... so many rows lie side by side; else a row, 1 */
    uint32_t swizzle; /* bits of a block's number that go into that of a piece in it */
    int64_t base;
    struct dimension dim[MAX_RANK];
};

/* Bytes from an element to the next in dimension d. The document has a stride for each dimension; since all are
 * multiples of 16, that of elements side by side can only be 0. The RTL leaves out dimension 0, whose elements always
 * are. */
static uint32_t stride_of(const struct box *b, unsigned d, const uint32_t *tensor)
{
    uint32_t own = b->by_document ? tensor[TENSOR_STRIDES + d] : d ? tensor[TENSOR_STRIDES + d - 1] : 0;
    return d || own ? own : b->element;
}

/* Reads dimension d. Its element stride thins the box out; the RTL copies rows whole. */
static const char *read_dimension(struct box *b, unsigned d, const uint32_t *tensor, const uint32_t *box)
{
    uint32_t size = box[BOX_SIZES + d], step = box[BOX_STEPS + d], stride = stride_of(b, d, tensor);
    if (b->by_document && !tensor[TENSOR_SIZES + d]) return "tensor copy with a dimension of no elements";
    if (size < 1 || size > MAX_BOX) return "tensor copy with a box size outside 1 to 256";
    if (step < 1 || step > MAX_ELEMENT_STRIDE) return "tensor copy with an element stride outside 1 to 8";
    if (stride % 16 && (d || stride != b->element)) return "tensor copy with a stride that is not a multiple of 16";
    if (!d && !b->by_document) step = 1;
    int64_t count = (size + step - 1) / step;
    b->dim[d] = (struct dimension){.size = tensor[TENSOR_SIZES + d], .stride = stride, .step = step, .count = count};
    return NULL;
}

static bool encloses(const struct dimension *a, const struct dimension *b)
{
    return a->stride > b->stride || (a->stride == b->stride && a->size > b->size);
}

/* The box's start is an address. Its coordinates are what dividing its distance from the tensor by the
 * strides gives, the largest stride first, rounding towards zero: a start before the tensor is nowhere
 * behind its beginning. A dimension of stride 0 begins at 0. False if it is not on an element. */
static bool locate_start(struct box *b, int64_t distance)
{
    for (unsigned todo = (1u << b->rank) - 1; todo;) {
        unsigned d = (unsigned)__builtin_ctz(todo);
        for (unsigned i = d + 1; i < b->rank; i++)
            if ((todo >> i & 1) && encloses(&b->dim[i], &b->dim[d])) d = i;
        todo &= ~(1u << d);
        if (!b->dim[d].stride) continue;
        b->dim[d].start = distance / b->dim[d].stride;
        distance %= b->dim[d].stride;
    }
    return distance == 0;
}

enum { SWIZZLE_PIECE = 16, SWIZZLE_BLOCK = 128, SWIZZLE_BLOCK_BITS = 7, SWIZZLE_PIECE_BITS = 4 };

/* Our proposal (docs/machine.md). What a mode moves must be whole: a row's pieces, the blocks of 128 bytes. */
static const char *read_layout(struct box *b, uint32_t interleave, uint32_t swizzle)
{
    uint64_t rows = 1, row = (uint64_t)b->dim[0].count * b->element;
    for (unsigned d = 1; d < b->rank; d++) rows *= (uint64_t)b->dim[d].count;
    b->unit = interleave ? 8u << interleave : (uint32_t)row;
    b->rows = interleave ? rows : 1;
    b->piece = swizzle ? SWIZZLE_PIECE : b->unit;
    b->swizzle = (1u << swizzle) - 1;
    if (interleave && row % b->unit) return "tensor copy with an interleave mode and rows that are no whole pieces";
    if (swizzle && (row % SWIZZLE_PIECE || rows * row % SWIZZLE_BLOCK))
        return "tensor copy with a swizzle mode and a box that is not made of blocks of 128 bytes";
    return NULL;
}

static const char *read_box(struct box *b, bool by_document, const uint32_t *tensor, const uint32_t *box)
{
    uint32_t type = tensor[TENSOR_TYPE], rank = tensor[TENSOR_RANK], fill = box[BOX_FILL];
    if (type >= sizeof elements / sizeof *elements) return "tensor copy of a reserved element type";
    if (rank < 1 || rank > MAX_RANK) return "tensor copy with a rank outside 1 to 5";
    if (box[BOX_INTERLEAVE] > 2) return "tensor copy with a reserved interleave mode";
    if (box[BOX_SWIZZLE] > 3) return "tensor copy with a reserved swizzle mode";
    if (fill > 1) return "tensor copy with a reserved fill mode";
    *b = (struct box){.rank = rank, .element = elements[type].size, .base = tensor[TENSOR_ADDRESS]};
    b->by_document = by_document;
    b->fill = fill && elements[type].is_float ? 0xff : 0; /* all ones is a NaN in every format */
    for (unsigned d = 0; d < rank; d++) {
        const char *why = read_dimension(b, d, tensor, box);
        if (why) return why;
    }
    const char *why = read_layout(b, box[BOX_INTERLEAVE], box[BOX_SWIZZLE]);
    if (why) return why;
    bool found = locate_start(b, (int64_t)box[BOX_START] - b->base);
    return found ? NULL : "tensor copy that does not start on an element";
}

/* Where the piece at an offset of row number `row` lies behind the box's beginning. */
static uint64_t piece_at(const struct box *b, uint64_t row, uint32_t offset, uint32_t row_bytes)
{
    uint64_t at = row * row_bytes + offset;
    if (b->rows > 1) at = (offset / b->unit * b->rows + row) * b->unit + offset % b->unit;
    return at ^ (at >> SWIZZLE_BLOCK_BITS & b->swizzle) << SWIZZLE_PIECE_BITS;
}

static void put_row(struct sm *sm, const struct box *b, uint64_t row, uint64_t to, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t at = 0; at < size; at += b->piece) put(sm, to + piece_at(b, row, at, size), bytes + at, b->piece);
}

/* The elements of a row that are in the tensor, at once if they lie side by side. */
static void read_row(struct sm *sm, const struct box *b, int64_t from, uint8_t *bytes)
{
    const struct dimension *row = &b->dim[0];
    int64_t step = row->step * row->stride, first = row->start < 0 ? (row->step - 1 - row->start) / row->step : 0;
    int64_t end = row->start < row->size ? (row->size - row->start + row->step - 1) / row->step : 0;
    int64_t together = step == b->element ? row->count : 1;
    if (end > row->count) end = row->count;
    for (int64_t n; first < end; first += n) {
        n = together < end - first ? together : end - first;
        guest_read(sm, (uint64_t)(from + row->start * row->stride + first * step), bytes + first * b->element,
                   (size_t)n * b->element);
    }
}

/* One run along dimension 0, the others at index[]: row number `row` of the box. */
static void copy_row(struct sm *sm, const struct box *b, const int64_t *index, uint64_t row_number, uint64_t to)
{
    uint8_t bytes[MAX_BOX * MAX_ELEMENT];
    const struct dimension *row = &b->dim[0];
    uint32_t size = (uint32_t)row->count * b->element;
    int64_t from = b->base;
    bool inside = true;
    for (unsigned d = 1; d < b->rank; d++) {
        int64_t at = b->dim[d].start + index[d] * b->dim[d].step;
        inside &= at >= 0 && at < b->dim[d].size;
        from += at * b->dim[d].stride;
    }
    memset(bytes, b->fill, size);
    if (inside) read_row(sm, b, from, bytes);
    put_row(sm, b, row_number, to, bytes, size);
}

/* The next index, dimension 1 fastest; false after the last. */
static bool next_row(const struct box *b, int64_t *index)
{
    for (unsigned d = 1; d < b->rank; d++) {
        if (++index[d] < b->dim[d].count) return true;
        index[d] = 0;
    }
    return false;
}

static const char *copy_tensor(struct sm *sm, const struct warp *w, const struct insn *in)
{
    struct box b;
    int64_t index[MAX_RANK] = {0};
    uint64_t to = destination(w, in), row = 0;
    if (!(w->lanes >> (BOX_LANES - 1) & 1)) return "tensor copy in a warp of fewer than 15 lanes";
    bool by_document = isa_is_document((enum isa_profile)sm->gpu->config.profile);
    const char *why = read_box(&b, by_document, w->v[in->rs1], w->v[in->rs2]);
    if (why) return why;
    if (!is_local((uint32_t)to)) return outside;
    do copy_row(sm, &b, index, row++, to);
    while (next_row(&b, index));
    return NULL;
}

const char *dma_execute(struct sm *sm, struct warp *w, const struct insn *in)
{
    if (!w->active) return NULL;
    if (in->op == OP_CP_DMA) return copy_small(sm, w, in);
    bool bulk = in->op == OP_CP_DMA_BULK || in->op == OP_CP_DMA_BULK_X;
    return bulk ? copy_bulk(sm, w, in) : copy_tensor(sm, w, in);
}
