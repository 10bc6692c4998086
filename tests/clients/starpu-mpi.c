// Blocks of a vector in a ring, every second one on the other of two processes. A task makes a block of itself and of
// its neighbour, which StarPU sends from one process to the other; tasks run on the device alone, as they have no
// function for the host. At the end the first process has all blocks and compares them with what it computes itself.
// Compiled and run by starpu-mpi.sh.
#include <stdint.h>
#include <stdio.h>
#include <starpu_mpi.h>
#include <starpu_opencl.h>

enum { BLOCKS = 6, SIZE = 1000, ROUNDS = 4 };

static struct starpu_opencl_program program;
static const char source[] = "kernel void join(global uint *own, global const uint *next, uint size)\n"
                             "{ uint i = get_global_id(0); if (i < size) own[i] = 3 * own[i] + next[i]; }\n";

static uint32_t start_value(int block, int i) { return (uint32_t)(block * 1000003 + i); }

static void join_on_device(void *buffers[], void *argument)
{
    (void)argument;
    cl_mem own = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]),
           next = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[1]);
    cl_uint size = STARPU_VECTOR_GET_NX(buffers[0]);
    size_t items = 1024;
    cl_kernel kernel;
    cl_command_queue queue;
    int worker = starpu_worker_get_id();
    int error = starpu_opencl_load_kernel(&kernel, &queue, &program, "join", starpu_worker_get_devid(worker));
    if (error) STARPU_OPENCL_REPORT_ERROR(error);
    clSetKernelArg(kernel, 0, sizeof own, &own);
    clSetKernelArg(kernel, 1, sizeof next, &next);
    clSetKernelArg(kernel, 2, sizeof size, &size);
    error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    if (error) STARPU_OPENCL_REPORT_ERROR(error);
    clFinish(queue);
    starpu_opencl_release_kernel(kernel);
}

static struct starpu_codelet join = {
    .opencl_funcs = {join_on_device},
    .nbuffers = 2,
    .modes = {STARPU_RW, STARPU_R},
};

static uint32_t blocks[BLOCKS][SIZE];

// All blocks on the host alone.
static int is_right(void)
{
    for (int i = 0; i < SIZE; i++) {
        uint32_t want[BLOCKS];
        for (int b = 0; b < BLOCKS; b++) want[b] = start_value(b, i);
        for (int round = 0; round < ROUNDS; round++)
            for (int b = 0; b < BLOCKS; b++) want[b] = 3 * want[b] + want[(b + 1) % BLOCKS];
        for (int b = 0; b < BLOCKS; b++) {
            if (blocks[b][i] == want[b]) continue;
            printf("block %d, element %d is %u, expected %u\n", b, i, blocks[b][i], want[b]);
            return 0;
        }
    }
    return 1;
}

static void compute(starpu_data_handle_t *handles, int rank)
{
    for (int b = 0; b < BLOCKS; b++) {
        int mine = b % 2 == rank;
        for (int i = 0; mine && i < SIZE; i++) blocks[b][i] = start_value(b, i);
        if (mine)
            starpu_vector_data_register(&handles[b], STARPU_MAIN_RAM, (uintptr_t)blocks[b], SIZE, sizeof(uint32_t));
        else starpu_vector_data_register(&handles[b], -1, 0, SIZE, sizeof(uint32_t));
        starpu_mpi_data_register(handles[b], b, b % 2);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int b = 0; b < BLOCKS; b++)
            starpu_mpi_task_insert(MPI_COMM_WORLD, &join, STARPU_RW, handles[b], STARPU_R, handles[(b + 1) % BLOCKS],
                                   0);
    for (int b = 0; b < BLOCKS; b++) starpu_mpi_get_data_on_node(MPI_COMM_WORLD, handles[b], 0);
    starpu_task_wait_for_all();
    for (int b = 0; b < BLOCKS; b++) {
        if (rank == 0) {
            starpu_data_acquire(handles[b], STARPU_R);
            memcpy(blocks[b], (void *)starpu_data_get_local_ptr(handles[b]), sizeof blocks[b]);
            starpu_data_release(handles[b]);
        }
        starpu_data_unregister(handles[b]);
    }
}

int main(int argc, char **argv)
{
    starpu_data_handle_t handles[BLOCKS];
    int rank, processes, right = 1;
    if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL)) return 1;
    starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
    starpu_mpi_comm_size(MPI_COMM_WORLD, &processes);
    if (processes != 2 || starpu_opencl_worker_get_count() == 0 || starpu_cpu_worker_get_count()) {
        printf("%d processes, %u devices, %u processors\n", processes, starpu_opencl_worker_get_count(),
               starpu_cpu_worker_get_count());
        return 1;
    }
    if (starpu_opencl_load_opencl_from_string(source, &program, NULL)) return 1;
    compute(handles, rank);
    if (rank == 0) right = is_right();
    if (rank == 0 && right) printf("%d blocks, %d tasks on %d processes\n", BLOCKS, BLOCKS * ROUNDS, processes);
    starpu_opencl_unload_opencl(&program);
    starpu_mpi_shutdown();
    return !right;
}
