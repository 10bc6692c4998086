# packages: starpu-examples
# checks: the device is StarPU's only worker: its examples of vectors, variables and blocks find their results right
set -eu
export STARPU_NCPU=0 STARPU_NOPENCL=1 STARPU_OPENCL_ON_CPUS=1 STARPU_WORKERS_NOBIND=1 STARPU_SILENT=1
examples=$(dirname "$(dpkg -L starpu-examples | grep '/examples/vector_scal$')")
n=0
for example in vector_scal variable block incrementer; do
    "$examples/$example" >"$example.log" 2>&1 || { cat "$example.log"; echo "$example failed"; exit 1; }
    n=$((n + 1))
done
grep 'Computation is correct' vector_scal.log
grep 'result is correct' variable.log
grep 'TEST PASSED' block.log
grep 'array -> 5.000000, 0.000000, 0.000000, 5.000000' incrementer.log
echo "$n examples"
