/* Random sequences of transfers, also of boxes, copies, fills, migrations and kernels on buffers, their sub-buffers,
 * images of every format, some of which lie in buffers, and shared virtual memory, which some buffers lie in, in two
 * contexts, against a model on the host. Two queues are out of order, so that wait lists alone keep the order there; in
 * the third commands need not wait for those before them. User events hold commands back and end with success or an
 * error, which all that waits for them passes on without touching memory. Everything is released in any order, with
 * commands in flight, and all memory objects must be destroyed in the end. One number, the seed, makes a sequence:
 * `random_memory_test ROUNDS FIRST` runs others. */
#include <stdatomic.h>

#include "check.h"

enum {
    CONTEXTS = 2,
    QUEUES = 3,
    IN_ORDER = 2,
    VIEWS = 16,
    GATES = 3,
    STEPS = 250,
    MOST_BYTES = 1 << 15,
    MOST_FORMATS = 256,
    MOST_SHARED = 8
};

static uint32_t seed;

static unsigned draw(unsigned n)
{
    seed = seed * 1664525 + 1013904223;
    return (unsigned)((uint64_t)(seed >> 4) * n >> 28);
}

/* ---- objects ---- */

/* Bytes that a buffer, its sub-buffers and the images in it share, or those of an image. */
struct root {
    unsigned users; /* views */
    size_t size;
    uint8_t *bytes;  /* what they must be */
    uint8_t *host;   /* of CL_MEM_USE_HOST_PTR; NULL */
    uint8_t *shared; /* of clSVMAlloc, where its bytes are for kernels and the program; NULL */
    cl_event last;   /* of the latest command that is to succeed; NULL */
    bool in_order;   /* which is in the queue that is in order */
};

/* A memory object. Extents and pitches are in bytes: a buffer is a line. */
struct view {
    cl_mem mem;
    struct root *root;
    size_t from, extent[3], pitch[3];
    size_t pixel; /* bytes of an image's pixel; 0: a buffer */
    cl_image_format format;
    cl_mem_object_type type; /* of an image */
    bool is_sub;
    bool is_lines; /* an array of 1D images */
};

struct gate {
    cl_event event; /* NULL: there is none */
    bool fails;
};

struct world {
    cl_context context;
    cl_command_queue queues[QUEUES];
    cl_kernel kernel;
    struct view views[VIEWS];
    struct gate gates[GATES];
    void *shared[MOST_SHARED];
    unsigned nshared;
    bool shares; /* it has shared virtual memory */
};

static struct world worlds[CONTEXTS];
static atomic_int alive; /* memory objects */

static void CL_CALLBACK on_destroyed(cl_mem mem, void *host)
{
    (void)mem;
    free(host);
    atomic_fetch_sub(&alive, 1);
}

/* What commands read or write until they end, and what reads must have read. */
static struct transfer {
    uint8_t *bytes, *want;
    size_t size;
    struct transfer *next;
} * transfers;

static struct transfer *transfer_new(size_t size)
{
    struct transfer *t = malloc(sizeof *t);
    assert_non_null(t);
    *t = (struct transfer){malloc(size), NULL, size, transfers};
    assert_non_null(t->bytes);
    for (size_t i = 0; i < size; i++) t->bytes[i] = (uint8_t)draw(256);
    return transfers = t;
}

static void transfers_end(void)
{
    while (transfers) {
        struct transfer *t = transfers;
        transfers = t->next;
        if (t->want) assert_memory_equal(t->bytes, t->want, t->size);
        free(t->bytes);
        free(t->want);
        free(t);
    }
}

static struct root *root_new(size_t size)
{
    struct root *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->size = size;
    r->bytes = calloc(1, size);
    assert_non_null(r->bytes);
    return r;
}

static void root_let_go(struct root *r)
{
    if (--r->users) return;
    if (r->last) OK(clReleaseEvent(r->last));
    free(r->bytes);
    free(r);
}

static void made(struct view *v, struct root *r, void *host)
{
    v->root = r;
    r->users++;
    OK(clSetMemObjectDestructorCallback(v->mem, on_destroyed, host));
    atomic_fetch_add(&alive, 1);
}

static void release(struct view *v)
{
    if (!v->mem) return;
    OK(clReleaseMemObject(v->mem));
    root_let_go(v->root);
    *v = (struct view){0};
}

static struct view *any_view(struct world *w)
{
    for (unsigned i = draw(VIEWS), n = 0; n < VIEWS; i = (i + 1) % VIEWS, n++)
        if (w->views[i].mem) return &w->views[i];
    return NULL;
}

static void make_buffer(struct world *w, struct view *v)
{
    cl_int err;
    const size_t size = 1 + draw(MOST_BYTES);
    struct root *r = root_new(size);
    uint8_t *host = draw(3) ? NULL : malloc(size);
    for (size_t i = 0; i < size; i++) r->bytes[i] = (uint8_t)draw(256);
    if (host) memcpy(host, r->bytes, size);
    v->mem = clCreateBuffer(w->context, host ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, size, host ? host : r->bytes,
                            &err);
    OK(err);
    v->extent[0] = size, v->extent[1] = v->extent[2] = 1;
    made(v, r, host);
}

/* Shared virtual memory stays until no object lies in it any more (world_free). */
static void make_shared_buffer(struct world *w, struct view *v)
{
    static const cl_svm_mem_flags flags[] = {0, CL_MEM_READ_WRITE, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER};
    cl_int err;
    const size_t size = 1 + draw(MOST_BYTES);
    if (!w->shares || w->nshared == MOST_SHARED) return;
    struct root *r = root_new(size);
    for (size_t i = 0; i < size; i++) r->bytes[i] = (uint8_t)draw(256);
    r->shared = w->shared[w->nshared++] = clSVMAlloc(w->context, flags[draw(3)], size, 0);
    assert_non_null(r->shared);
    OK(clEnqueueSVMMemcpy(w->queues[draw(IN_ORDER)], CL_TRUE, r->shared, r->bytes, size, 0, NULL, NULL));
    v->mem = clCreateBuffer(w->context, CL_MEM_USE_HOST_PTR, size, r->shared, &err);
    OK(err);
    v->extent[0] = size, v->extent[1] = v->extent[2] = 1;
    made(v, r, NULL);
}

static void make_sub_buffer(struct world *w, struct view *v)
{
    cl_int err;
    const cl_uint align = QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    const struct view *of = any_view(w);
    if (!of || of->pixel || of->is_sub) return;
    const size_t origin = draw((unsigned)((of->extent[0] - 1) / align) + 1) * align;
    const cl_buffer_region region = {origin, 1 + draw((unsigned)(of->extent[0] - origin))};
    v->mem = clCreateSubBuffer(of->mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    OK(err);
    v->from = origin, v->extent[0] = region.size, v->extent[1] = v->extent[2] = 1;
    v->is_sub = true;
    made(v, of->root, NULL);
}

/* A format that the device has for images of this type. */
static cl_image_format any_format(const struct world *w, cl_mem_object_type type)
{
    cl_image_format list[MOST_FORMATS];
    cl_uint n;
    OK(clGetSupportedImageFormats(w->context, CL_MEM_READ_WRITE, type, MOST_FORMATS, list, &n));
    assert_true(n > 0);
    return list[draw(n < MOST_FORMATS ? n : MOST_FORMATS)];
}

static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D,
                                           CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY};

/* Pixels in each direction, as regions count them. */
static void choose_size(cl_mem_object_type type, cl_image_desc *d, size_t size[3])
{
    const bool deep = type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    *d = (cl_image_desc){.image_type = type, .image_width = 1 + draw(20)};
    size[0] = d->image_width, size[1] = size[2] = 1;
    if (type != CL_MEM_OBJECT_IMAGE1D) size[1] = 1 + draw(9);
    if (deep) size[2] = 1 + draw(5);
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY) d->image_array_size = size[1];
    else if (type != CL_MEM_OBJECT_IMAGE1D) d->image_height = size[1];
    if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY) d->image_array_size = size[2];
    if (type == CL_MEM_OBJECT_IMAGE3D) d->image_depth = size[2];
}

static void set_layout(struct view *v, const size_t size[3], size_t row)
{
    v->pixel = QUERY(size_t, clGetImageInfo, v->mem, CL_IMAGE_ELEMENT_SIZE);
    v->pitch[1] = row ? row : size[0] * v->pixel;
    v->pitch[2] = v->pitch[1] * size[1];
    v->extent[0] = size[0] * v->pixel, v->extent[1] = size[1], v->extent[2] = size[2];
}

static void make_image(struct world *w, struct view *v)
{
    cl_int err;
    cl_image_desc d;
    size_t size[3];
    const cl_mem_object_type type = types[draw(sizeof types / sizeof *types)];
    choose_size(type, &d, size);
    v->format = any_format(w, type);
    uint8_t bytes[20 * 9 * 5 * 16];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)draw(256);
    v->mem = clCreateImage(w->context, CL_MEM_COPY_HOST_PTR, &v->format, &d, bytes, &err);
    OK(err);
    set_layout(v, size, 0);
    v->type = type;
    v->is_lines = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    struct root *r = root_new(v->pitch[2] * size[2]);
    memcpy(r->bytes, bytes, r->size);
    made(v, r, NULL);
}

/* A line or a plane of pixels in a buffer or sub-buffer. */
static void make_image_in_buffer(struct world *w, struct view *v)
{
    cl_int err;
    const struct view *of = any_view(w);
    const bool plane = draw(2);
    const cl_mem_object_type type = plane ? CL_MEM_OBJECT_IMAGE2D : CL_MEM_OBJECT_IMAGE1D_BUFFER;
    const cl_uint align = QUERY(cl_uint, clGetDeviceInfo, device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT);
    if (!of || of->pixel || !align) return;
    const size_t row = align * 16 * (1 + draw(4)), rows = plane ? of->extent[0] / row : 1;
    const size_t room = plane ? row : of->extent[0];
    if (!rows || room < 16) return;
    size_t size[3] = {1 + draw((unsigned)(room / 16 < 100 ? room / 16 : 100)), plane ? 1 + draw((unsigned)rows) : 1, 1};
    const cl_image_desc d = {.image_type = type,
                             .image_width = size[0],
                             .image_height = plane ? size[1] : 0,
                             .image_row_pitch = plane ? row : 0,
                             .mem_object = of->mem};
    v->format = any_format(w, type);
    v->mem = clCreateImage(w->context, 0, &v->format, &d, NULL, &err);
    if (plane && err == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR) v->mem = NULL;
    else OK(err);
    if (!v->mem) {
        *v = (struct view){0};
        return;
    }
    set_layout(v, size, plane ? row : 0);
    v->from = of->from;
    v->type = plane ? type : CL_MEM_OBJECT_IMAGE1D;
    v->is_sub = true;
    made(v, of->root, NULL);
}

static void (*const makers[])(struct world *, struct view *) = {
    make_buffer, make_shared_buffer, make_sub_buffer, make_sub_buffer, make_image, make_image_in_buffer};

static void make(struct world *w)
{
    struct view *v = &w->views[draw(VIEWS)];
    release(v);
    makers[draw(sizeof makers / sizeof *makers)](w, v);
}

/* ---- regions ---- */

/* Part of a view, in bytes, or pixels in the first direction of images as OpenCL counts them. */
struct part {
    size_t origin[3], region[3];
};

/* `like`, unless NULL: of this region, if it fits. */
static bool choose_part(const struct view *v, struct part *p, const size_t like[3])
{
    const size_t unit = v->pixel ? v->pixel : 1;
    for (int i = 0; i < 3; i++) {
        const size_t all = i ? v->extent[i] : v->extent[0] / unit;
        if (like && like[i] > all) return false;
        p->region[i] = like ? like[i] : 1 + draw((unsigned)all);
        p->origin[i] = draw((unsigned)(all - p->region[i]) + 1);
    }
    return true;
}

static uint8_t *at(const struct view *v, const struct part *p, size_t row, size_t slice)
{
    const size_t unit = v->pixel ? v->pixel : 1;
    return v->root->bytes + v->from + p->origin[0] * unit + (p->origin[1] + row) * v->pitch[1] +
           (p->origin[2] + slice) * v->pitch[2];
}

static size_t row_bytes(const struct view *v, const struct part *p) { return p->region[0] * (v->pixel ? v->pixel : 1); }

static size_t part_bytes(const struct view *v, const struct part *p)
{
    return row_bytes(v, p) * p->region[1] * p->region[2];
}

/* Between the model and bytes without gaps. */
static void move_part(const struct view *v, const struct part *p, uint8_t *bytes, bool into_model)
{
    const size_t n = row_bytes(v, p);
    for (size_t slice = 0; slice < p->region[2]; slice++)
        for (size_t row = 0; row < p->region[1]; row++, bytes += n) {
            if (into_model) memcpy(at(v, p, row, slice), bytes, n);
            else memcpy(bytes, at(v, p, row, slice), n);
        }
}

/* ---- the order of commands ---- */

struct order {
    cl_uint count;
    cl_event list[GATES + 2];
    cl_command_queue queue;
    bool in_order, fails;
};

/* The latest command on these bytes, unless the queue's order says as much. */
static void add_last(struct order *o, const struct root *r)
{
    if (r->last && !(o->in_order && r->in_order && draw(2))) o->list[o->count++] = r->last;
}

static struct order order_of(struct world *w, const struct view *a, const struct view *b, bool gates)
{
    const unsigned which = draw(QUEUES);
    struct order o = {.queue = w->queues[which], .in_order = which == IN_ORDER};
    add_last(&o, a->root);
    if (b && b->root != a->root) add_last(&o, b->root);
    for (int i = 0; i < GATES && gates; i++) {
        if (!w->gates[i].event || draw(4)) continue;
        o.list[o.count++] = w->gates[i].event;
        o.fails |= w->gates[i].fails;
    }
    return o;
}

#define LIST(o) (o).count, (o).count ? (o).list : NULL

/* The command has been enqueued: what comes behind it on the same bytes waits for it, unless it fails. */
static void enqueued(const struct order *o, cl_event event, const struct view *a, const struct view *b)
{
    struct root *const roots[] = {a->root, b && b->root != a->root ? b->root : NULL};
    for (int i = 0; i < 2 && !o->fails; i++) {
        if (!roots[i]) continue;
        OK(clRetainEvent(event));
        if (roots[i]->last) OK(clReleaseEvent(roots[i]->last));
        roots[i]->last = event;
        roots[i]->in_order = o->in_order;
    }
    OK(clReleaseEvent(event));
}

static void open_gate(struct gate *g)
{
    if (!g->event) return;
    OK(clSetUserEventStatus(g->event, g->fails ? -1000 : CL_COMPLETE));
    OK(clReleaseEvent(g->event));
    g->event = NULL;
}

static void open_gates(struct world *w)
{
    for (int i = 0; i < GATES; i++) open_gate(&w->gates[i]);
}

static void place_gate(struct world *w)
{
    cl_int err;
    struct gate *g = &w->gates[draw(GATES)];
    open_gate(g);
    *g = (struct gate){clCreateUserEvent(w->context, &err), draw(3) == 0};
    OK(err);
}

/* ---- commands ---- */

/* The bytes of the part in shared memory, for commands on that instead of the buffer; NULL: not now, or there are none.
 */
static uint8_t *shared_bytes(const struct view *v, size_t from)
{
    return v->root->shared && !v->pixel && draw(2) ? v->root->shared + v->from + from : NULL;
}

/* A transfer of a part of a view that is about to be enqueued. */
struct move {
    struct part p;
    struct transfer *t;
    struct order o;
};

static struct move choose_move(struct world *w, struct view *v)
{
    struct move m;
    choose_part(v, &m.p, NULL);
    m.t = transfer_new(part_bytes(v, &m.p));
    m.o = order_of(w, v, NULL, true);
    return m;
}

static void write_part(struct world *w, struct view *v)
{
    cl_event event;
    const struct move m = choose_move(w, v);
    const struct part *p = &m.p;
    void *bytes = m.t->bytes;
    uint8_t *shared = shared_bytes(v, p->origin[0]);
    if (shared) OK(clEnqueueSVMMemcpy(m.o.queue, CL_FALSE, shared, bytes, p->region[0], LIST(m.o), &event));
    else if (v->pixel)
        OK(clEnqueueWriteImage(m.o.queue, v->mem, CL_FALSE, p->origin, p->region, 0, 0, bytes, LIST(m.o), &event));
    else OK(clEnqueueWriteBuffer(m.o.queue, v->mem, CL_FALSE, p->origin[0], p->region[0], bytes, LIST(m.o), &event));
    if (!m.o.fails) move_part(v, p, bytes, true);
    enqueued(&m.o, event, v, NULL);
}

static void read_part(struct world *w, struct view *v)
{
    cl_event event;
    const struct move m = choose_move(w, v);
    const struct part *p = &m.p;
    void *bytes = m.t->bytes;
    m.t->want = malloc(m.t->size);
    assert_non_null(m.t->want);
    memcpy(m.t->want, bytes, m.t->size); /* where it fails */
    if (!m.o.fails) move_part(v, p, m.t->want, false);
    const uint8_t *shared = shared_bytes(v, p->origin[0]);
    if (shared) OK(clEnqueueSVMMemcpy(m.o.queue, CL_FALSE, bytes, shared, p->region[0], LIST(m.o), &event));
    else if (v->pixel)
        OK(clEnqueueReadImage(m.o.queue, v->mem, CL_FALSE, p->origin, p->region, 0, 0, bytes, LIST(m.o), &event));
    else OK(clEnqueueReadBuffer(m.o.queue, v->mem, CL_FALSE, p->origin[0], p->region[0], bytes, LIST(m.o), &event));
    enqueued(&m.o, event, v, NULL);
}

/* Waits for an error, if there is one. */
static void read_now(struct world *w, struct view *v)
{
    struct part p;
    choose_part(v, &p, NULL);
    struct transfer *t = transfer_new(part_bytes(v, &p));
    struct order o = order_of(w, v, NULL, true);
    const cl_command_queue q = o.queue;
    for (cl_uint i = 0; i < o.count; i++) OK(clRetainEvent(o.list[i]));
    open_gates(w);
    t->want = malloc(t->size);
    assert_non_null(t->want);
    memcpy(t->want, t->bytes, t->size);
    if (!o.fails) move_part(v, &p, t->want, false);
    const uint8_t *shared = shared_bytes(v, p.origin[0]);
    const cl_int done =
        shared     ? clEnqueueSVMMemcpy(q, CL_TRUE, t->bytes, shared, p.region[0], LIST(o), NULL)
        : v->pixel ? clEnqueueReadImage(q, v->mem, CL_TRUE, p.origin, p.region, 0, 0, t->bytes, LIST(o), NULL)
                   : clEnqueueReadBuffer(q, v->mem, CL_TRUE, p.origin[0], p.region[0], t->bytes, LIST(o), NULL);
    assert_int_equal(done, o.fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
    assert_memory_equal(t->bytes, t->want, t->size);
    for (cl_uint i = 0; i < o.count; i++) OK(clReleaseEvent(o.list[i]));
}

static void fill_part(struct world *w, struct view *v)
{
    static const size_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint8_t pattern[128];
    cl_event event;
    const size_t n = sizes[draw(8)], room = v->extent[0] / n;
    if (v->pixel || !room) return;
    const size_t count = 1 + draw((unsigned)room), from = draw((unsigned)(room - count) + 1);
    const struct order o = order_of(w, v, NULL, true);
    for (size_t i = 0; i < n; i++) pattern[i] = (uint8_t)draw(256);
    uint8_t *shared = shared_bytes(v, from * n);
    if (shared) OK(clEnqueueSVMMemFill(o.queue, shared, pattern, n, count * n, LIST(o), &event));
    else OK(clEnqueueFillBuffer(o.queue, v->mem, pattern, n, from * n, count * n, LIST(o), &event));
    for (size_t i = 0; i < count && !o.fails; i++) memcpy(v->root->bytes + v->from + (from + i) * n, pattern, n);
    enqueued(&o, event, v, NULL);
}

static void run_kernel(struct world *w, struct view *v)
{
    cl_event event;
    const cl_uchar n = (cl_uchar)draw(256);
    if (v->pixel) return;
    const struct order o = order_of(w, v, NULL, true);
    const uint8_t *shared = shared_bytes(v, 0);
    if (shared) OK(clSetKernelArgSVMPointer(w->kernel, 0, shared));
    else OK(clSetKernelArg(w->kernel, 0, sizeof v->mem, &v->mem));
    OK(clSetKernelArg(w->kernel, 1, sizeof n, &n));
    OK(clEnqueueNDRangeKernel(o.queue, w->kernel, 1, NULL, v->extent, NULL, LIST(o), &event));
    uint8_t *bytes = v->root->bytes + v->from;
    for (size_t i = 0; i < v->extent[0] && !o.fails; i++) bytes[i] = (uint8_t)(bytes[i] * 3 + n + i);
    enqueued(&o, event, v, NULL);
}

static void copy_whole(struct view *a, const struct part *from, struct view *b, const struct part *to)
{
    uint8_t *bytes = malloc(part_bytes(a, from));
    assert_non_null(bytes);
    move_part(a, from, bytes, false);
    move_part(b, to, bytes, true);
    free(bytes);
}

static cl_int enqueue_copy(const struct view *a, const struct part *from, const struct view *b, const struct part *to,
                           const struct order *o, cl_event *event)
{
    const cl_command_queue q = o->queue;
    const uint8_t *source = shared_bytes(a, from->origin[0]);
    uint8_t *target = source ? shared_bytes(b, to->origin[0]) : NULL;
    if (target) return clEnqueueSVMMemcpy(q, CL_FALSE, target, source, from->region[0], LIST(*o), event);
    if (a->pixel && b->pixel)
        return clEnqueueCopyImage(q, a->mem, b->mem, from->origin, to->origin, from->region, LIST(*o), event);
    if (a->pixel)
        return clEnqueueCopyImageToBuffer(q, a->mem, b->mem, from->origin, from->region, to->origin[0], LIST(*o),
                                          event);
    if (b->pixel)
        return clEnqueueCopyBufferToImage(q, a->mem, b->mem, from->origin[0], to->origin, to->region, LIST(*o), event);
    return clEnqueueCopyBuffer(q, a->mem, b->mem, from->origin[0], to->origin[0], from->region[0], LIST(*o), event);
}

/* The parts of two views for a copy: the same pixels, or as many bytes. */
static bool choose_parts(const struct view *a, struct part *from, const struct view *b, struct part *to)
{
    if (a->root == b->root) return false; /* they may overlap */
    if (a->pixel && b->pixel) {
        if (memcmp(&a->format, &b->format, sizeof a->format) != 0) return false;
        return choose_part(a, from, NULL) && choose_part(b, to, from->region);
    }
    if (b->pixel) return choose_part(b, to, NULL) && choose_part(a, from, (size_t[]){part_bytes(b, to), 1, 1});
    return choose_part(a, from, NULL) && choose_part(b, to, (size_t[]){part_bytes(a, from), 1, 1});
}

static void copy(struct world *w, struct view *a)
{
    struct view *b = any_view(w);
    struct part from, to;
    cl_event event;
    if (!choose_parts(a, &from, b, &to)) return;
    const struct order o = order_of(w, a, b, true);
    OK(enqueue_copy(a, &from, b, &to, &o, &event));
    if (!o.fails) copy_whole(a, &from, b, &to);
    enqueued(&o, event, a, b);
}

static void map(struct world *w, struct view *v)
{
    cl_int err;
    struct part p;
    cl_event event;
    size_t row = 0, slice = 0;
    choose_part(v, &p, NULL);
    open_gates(w);
    const struct order o = order_of(w, v, NULL, false);
    const cl_command_queue q = o.queue;
    uint8_t *const shared = shared_bytes(v, p.origin[0]), *m = shared;
    if (shared) err = clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, shared, p.region[0], LIST(o), NULL);
    else
        m = v->pixel ? clEnqueueMapImage(q, v->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, p.origin, p.region, &row,
                                         &slice, LIST(o), NULL, &err)
                     : clEnqueueMapBuffer(q, v->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, p.origin[0], p.region[0],
                                          LIST(o), NULL, &err);
    OK(err);
    if (v->is_lines) row = slice;
    const size_t n = row_bytes(v, &p);
    for (size_t k = 0; k < p.region[2]; k++)
        for (size_t i = 0; i < p.region[1]; i++) {
            assert_memory_equal(m + k * slice + i * row, at(v, &p, i, k), n);
            memset(m + k * slice + i * row, (int)draw(256), n);
            memcpy(at(v, &p, i, k), m + k * slice + i * row, n);
        }
    if (shared) OK(clEnqueueSVMUnmap(q, shared, 0, NULL, &event));
    else OK(clEnqueueUnmapMemObject(q, v->mem, m, 0, NULL, &event));
    enqueued(&o, event, v, NULL);
}

/* ---- boxes in buffers ---- */

/* Where a box lies in bytes. */
struct box {
    size_t origin[3], row, slice;
};

static size_t box_at(const struct box *b, size_t row, size_t slice)
{
    return b->origin[0] + (b->origin[1] + row) * b->row + (b->origin[2] + slice) * b->slice;
}

/* Bytes, rows and slices that `size` bytes have room for. */
static void choose_region(size_t size, size_t region[3])
{
    static const unsigned most[] = {200, 9, 5};
    for (int i = 0; i < 3; size /= region[i], i++) region[i] = 1 + draw(size < most[i] ? (unsigned)size : most[i]);
}

/* Rows and slices with gaps, if there is room for them. */
static bool choose_box(size_t size, const size_t region[3], struct box *b)
{
    size_t need = SIZE_MAX;
    for (unsigned tries = 0; tries < 3 && need > size; tries++) {
        const bool tight = tries == 2;
        b->row = region[0] + (tight ? 0 : draw(40));
        b->slice = b->row * (region[1] + (tight ? 0 : draw(3)));
        need = region[0] + (region[1] - 1) * b->row + (region[2] - 1) * b->slice;
    }
    if (need > size) return false;
    const size_t at = draw((unsigned)(size - need) + 1);
    b->origin[2] = at / b->slice, b->origin[1] = at % b->slice / b->row, b->origin[0] = at % b->slice % b->row;
    return true;
}

/* What stands for a pitch: 0 can, where there is no gap. */
static size_t row_of(const struct box *b, const size_t region[3])
{
    return b->row == region[0] && draw(2) ? 0 : b->row;
}

static size_t slice_of(const struct box *b, const size_t region[3])
{
    return b->slice == b->row * region[1] && draw(2) ? 0 : b->slice;
}

static void move_box(uint8_t *to, const struct box *there, const uint8_t *from, const struct box *here,
                     const size_t region[3])
{
    for (size_t slice = 0; slice < region[2]; slice++)
        for (size_t row = 0; row < region[1]; row++)
            memcpy(to + box_at(there, row, slice), from + box_at(here, row, slice), region[0]);
}

/* A transfer between a box of a buffer and one of the host. */
static struct transfer *begin_boxes(const struct view *v, size_t region[3], struct box *there, struct box *here)
{
    choose_region(v->extent[0], region);
    struct transfer *t = transfer_new(2 * region[0] * region[1] * region[2] + 300);
    assert_true(choose_box(v->extent[0], region, there) && choose_box(t->size, region, here));
    return t;
}

static void write_box(struct world *w, struct view *v)
{
    size_t region[3];
    struct box there, here;
    cl_event event;
    if (v->pixel) return;
    struct transfer *t = begin_boxes(v, region, &there, &here);
    const struct order o = order_of(w, v, NULL, true);
    OK(clEnqueueWriteBufferRect(o.queue, v->mem, CL_FALSE, there.origin, here.origin, region, row_of(&there, region),
                                slice_of(&there, region), row_of(&here, region), slice_of(&here, region), t->bytes,
                                LIST(o), &event));
    if (!o.fails) move_box(v->root->bytes + v->from, &there, t->bytes, &here, region);
    enqueued(&o, event, v, NULL);
}

/* What lies between the rows on the host stays. */
static void read_box(struct world *w, struct view *v)
{
    size_t region[3];
    struct box there, here;
    cl_event event;
    if (v->pixel) return;
    struct transfer *t = begin_boxes(v, region, &there, &here);
    t->want = malloc(t->size);
    assert_non_null(t->want);
    memcpy(t->want, t->bytes, t->size);
    const struct order o = order_of(w, v, NULL, true);
    if (!o.fails) move_box(t->want, &here, v->root->bytes + v->from, &there, region);
    OK(clEnqueueReadBufferRect(o.queue, v->mem, CL_FALSE, there.origin, here.origin, region, row_of(&there, region),
                               slice_of(&there, region), row_of(&here, region), slice_of(&here, region), t->bytes,
                               LIST(o), &event));
    enqueued(&o, event, v, NULL);
}

static void copy_box(struct world *w, struct view *a)
{
    size_t region[3];
    struct box from, to;
    cl_event event;
    const struct view *b = any_view(w);
    if (a->pixel || b->pixel || a->root == b->root) return; /* they may overlap */
    choose_region(a->extent[0] < b->extent[0] ? a->extent[0] : b->extent[0], region);
    assert_true(choose_box(a->extent[0], region, &from) && choose_box(b->extent[0], region, &to));
    const struct order o = order_of(w, a, b, true);
    OK(clEnqueueCopyBufferRect(o.queue, a->mem, b->mem, from.origin, to.origin, region, row_of(&from, region),
                               slice_of(&from, region), row_of(&to, region), slice_of(&to, region), LIST(o), &event));
    if (!o.fails) move_box(b->root->bytes + b->from, &to, a->root->bytes + a->from, &from, region);
    enqueued(&o, event, a, b);
}

/* ---- colours, places, and memory for a while ---- */

union colour {
    cl_float f[4];
    cl_int i[4];
};

/* The bytes of a pixel as integers of the host are, for the formats whose channels are those of the colour; false: the
 * format is another one. */
static bool plain_pixel(const cl_image_format *f, const union colour *c, uint8_t *pixel)
{
    const unsigned channels = f->image_channel_order == CL_R      ? 1
                              : f->image_channel_order == CL_RG   ? 2
                              : f->image_channel_order == CL_RGBA ? 4
                                                                  : 0;
    const cl_channel_type t = f->image_channel_data_type;
    const size_t bytes = t == CL_SIGNED_INT8 || t == CL_UNSIGNED_INT8                      ? 1
                         : t == CL_SIGNED_INT16 || t == CL_UNSIGNED_INT16                  ? 2
                         : t == CL_SIGNED_INT32 || t == CL_UNSIGNED_INT32 || t == CL_FLOAT ? 4
                                                                                           : 0;
    for (unsigned i = 0; i < channels && bytes; i++) memcpy(pixel + i * bytes, &c->i[i], bytes); /* little-endian */
    return channels && bytes;
}

/* Every channel of the format can hold it. */
static union colour any_colour(const cl_image_format *f)
{
    union colour c;
    const cl_channel_type t = f->image_channel_data_type;
    const bool is_signed = t == CL_SIGNED_INT8 || t == CL_SIGNED_INT16 || t == CL_SIGNED_INT32;
    const bool is_unsigned = t == CL_UNSIGNED_INT8 || t == CL_UNSIGNED_INT16 || t == CL_UNSIGNED_INT32;
    for (int i = 0; i < 4; i++) {
        if (is_signed) c.i[i] = (cl_int)draw(256) - 128;
        else if (is_unsigned) c.i[i] = (cl_int)draw(256);
        else c.f[i] = (cl_float)draw(1025) / 1024;
    }
    return c;
}

/* A pixel of this colour: by itself, or as an image of one pixel has it. */
static void find_pixel(const struct world *w, const struct view *v, const union colour *c, uint8_t *pixel)
{
    const size_t origin[3] = {0}, region[3] = {1, 1, 1};
    const bool array = v->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || v->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const cl_image_desc d = {
        .image_type = v->type, .image_width = 1, .image_height = 1, .image_depth = 1, .image_array_size = array};
    cl_int err;
    cl_event event;
    if (plain_pixel(&v->format, c, pixel)) return;
    cl_mem one = clCreateImage(w->context, 0, &v->format, &d, NULL, &err);
    OK(err);
    OK(clEnqueueFillImage(w->queues[0], one, c, origin, region, 0, NULL, &event));
    OK(clEnqueueReadImage(w->queues[1], one, CL_TRUE, origin, region, 0, 0, pixel, 1, &event, NULL));
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(one));
}

static void fill_image(struct world *w, struct view *v)
{
    struct part p;
    cl_event event;
    uint8_t pixel[16];
    if (!v->pixel) return;
    const union colour c = any_colour(&v->format);
    find_pixel(w, v, &c, pixel);
    choose_part(v, &p, NULL);
    const struct order o = order_of(w, v, NULL, true);
    OK(clEnqueueFillImage(o.queue, v->mem, &c, p.origin, p.region, LIST(o), &event));
    for (size_t slice = 0; slice < p.region[2] && !o.fails; slice++)
        for (size_t row = 0; row < p.region[1]; row++)
            for (size_t i = 0; i < p.region[0]; i++) memcpy(at(v, &p, row, slice) + i * v->pixel, pixel, v->pixel);
    enqueued(&o, event, v, NULL);
}

static void migrate(struct world *w, struct view *a)
{
    cl_event event;
    const struct view *b = any_view(w);
    const cl_mem_migration_flags flags = draw(2) ? CL_MIGRATE_MEM_OBJECT_HOST : 0;
    const cl_mem mems[] = {a->mem, b->mem};
    const struct order o = order_of(w, a, b, true);
    const void *const shared[] = {shared_bytes(a, 0), shared_bytes(b, 0)};
    if (shared[0] && shared[1])
        OK(clEnqueueSVMMigrateMem(o.queue, 2, (const void **)(uintptr_t)shared, NULL, flags, LIST(o), &event));
    else OK(clEnqueueMigrateMemObjects(o.queue, 2, mems, flags, LIST(o), &event));
    enqueued(&o, event, a, b);
}

/* From one buffer to another by shared memory that is given back at once, unless the copies fail. */
static void copy_by_shared(struct world *w, struct view *a)
{
    struct view *b = any_view(w);
    struct part from, to;
    cl_event event[2];
    if (!a->root->shared || !b->root->shared || a->pixel || b->pixel || w->nshared == MOST_SHARED) return;
    if (!choose_parts(a, &from, b, &to)) return;
    const size_t n = from.region[0];
    void *between = clSVMAlloc(w->context, CL_MEM_READ_WRITE, n, 0);
    assert_non_null(between);
    const struct order o = order_of(w, a, b, true);
    const cl_uint waits = o.fails || !o.in_order;
    OK(clEnqueueSVMMemcpy(o.queue, CL_FALSE, between, a->root->shared + a->from + from.origin[0], n, LIST(o), event));
    OK(clEnqueueSVMMemcpy(o.queue, CL_FALSE, b->root->shared + b->from + to.origin[0], between, n, waits,
                          waits ? event : NULL, &event[1]));
    if (o.fails) w->shared[w->nshared++] = between;
    else OK(clEnqueueSVMFree(o.queue, 1, &between, NULL, NULL, 1, &event[1], NULL));
    OK(clReleaseEvent(event[0]));
    if (!o.fails) copy_whole(a, &from, b, &to);
    enqueued(&o, event[1], a, b);
}

static cl_command_queue queue_open(struct world *w, unsigned i)
{
    cl_int err;
    cl_command_queue q =
        clCreateCommandQueue(w->context, device, i == IN_ORDER ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    OK(err);
    return q;
}

static void renew_queue(struct world *w)
{
    const unsigned i = draw(QUEUES);
    OK(clReleaseCommandQueue(w->queues[i]));
    w->queues[i] = queue_open(w, i);
    for (int k = 0; k < VIEWS && i == IN_ORDER; k++)
        if (w->views[k].mem) w->views[k].root->in_order = false; /* what is in flight is of another queue */
}

/* ---- worlds ---- */

static void world_open(struct world *w)
{
    static const char *text = "kernel void k(global uchar *a, uchar n)\n"
                              "{ size_t i = get_global_id(0); a[i] = a[i] * 3 + n + i; }\n";
    cl_int err;
    *w = (struct world){.context = clCreateContext(NULL, 1, &device, NULL, NULL, &err)};
    OK(err);
    for (unsigned i = 0; i < QUEUES; i++) w->queues[i] = queue_open(w, i);
    w->shares = QUERY(cl_device_svm_capabilities, clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES) && draw(2);
    if (w->shares) OK(clRetainContext(w->context));
    cl_program p = clCreateProgramWithSource(w->context, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    w->kernel = clCreateKernel(p, "k", &err);
    OK(err);
    OK(clReleaseProgram(p));
}

static void (*const on_view[])(struct world *, struct view *) = {
    write_part, write_part, write_box, read_part, read_now, read_box,       fill_part, fill_image, run_kernel,
    run_kernel, copy,       copy,      copy,      copy_box, copy_by_shared, migrate,   map};

static void step(struct world *w)
{
    struct view *v = any_view(w);
    const unsigned what = draw(16);
    if (what < 4 || !v) make(w);
    else if (what == 4) place_gate(w);
    else if (what == 5) renew_queue(w);
    else if (what == 6) release(v);
    else on_view[draw(sizeof on_view / sizeof *on_view)](w, v);
}

static void compare_all(struct world *w)
{
    for (int i = 0; i < VIEWS; i++)
        if (w->views[i].mem) read_now(w, &w->views[i]);
}

/* With commands in flight; the host's memory stays until they have ended. */
static void world_close(struct world *w)
{
    cl_event ends[QUEUES];
    for (int i = 0; i < QUEUES; i++) OK(clEnqueueMarkerWithWaitList(w->queues[i], 0, NULL, &ends[i]));
    if (draw(2))
        for (int i = 0; i < VIEWS; i++) release(&w->views[i]);
    OK(clReleaseKernel(w->kernel));
    OK(clReleaseContext(w->context));
    for (int i = 0; i < QUEUES; i++) OK(clReleaseCommandQueue(w->queues[i]));
    for (int i = 0; i < VIEWS; i++) release(&w->views[i]);
    open_gates(w);
    const cl_int done = clWaitForEvents(QUEUES, ends);
    assert_true(done == CL_SUCCESS || done == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    for (int i = 0; i < QUEUES; i++) OK(clReleaseEvent(ends[i]));
}

/* When no memory object lives any more. */
static void world_free(struct world *w)
{
    for (unsigned i = 0; i < w->nshared; i++) clSVMFree(w->context, w->shared[i]);
    if (w->shares) OK(clReleaseContext(w->context));
}

static void run_round(void)
{
    for (int i = 0; i < CONTEXTS; i++) world_open(&worlds[i]);
    for (int i = 0; i < STEPS; i++) step(&worlds[draw(CONTEXTS)]);
    for (int i = 0; i < CONTEXTS; i++) compare_all(&worlds[i]);
    for (int i = 0; i < 20; i++) step(&worlds[draw(CONTEXTS)]);
    for (int i = 0; i < CONTEXTS; i++) world_close(&worlds[i]);
    for (int i = 0; i < 20000 && alive; i++) usleep(1000);
    assert_int_equal(alive, 0);
    for (int i = 0; i < CONTEXTS; i++) world_free(&worlds[i]);
    transfers_end();
}

static unsigned rounds = 6, first = 1;

static void test_random_memory(void **state)
{
    (void)state;
    for (unsigned i = 0; i < rounds; i++) {
        seed = (first + i) * 2654435761u;
        if (rounds > 100) fprintf(stderr, "seed %u\n", first + i);
        run_round();
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_memory)};
    setenv("VENTUS_SVM", "1", 1);
    if (argc > 1) rounds = (unsigned)atoi(argv[1]);
    if (argc > 2) first = (unsigned)atoi(argv[2]);
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
