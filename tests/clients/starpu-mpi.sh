# packages: libstarpu-dev libopenmpi-dev openmpi-bin pkg-config gcc
# prepare: mpicc -O1 -Wall -o program $CLIENTS/starpu-mpi.c $(pkg-config --cflags --libs starpumpi-1.3) -lOpenCL
# checks: two processes, each with the device as its only worker, exchange blocks and compute what one does on the host
set -eu
export STARPU_NCPU=0 STARPU_OPENCL_ON_CPUS=1 STARPU_WORKERS_NOBIND=1 STARPU_SILENT=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun -n 2 --oversubscribe --mca btl_base_warn_component_unused 0 ../program
