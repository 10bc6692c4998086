# packages: libsocl-1.3-0 starpu-examples
# checks: StarPU's OpenCL over OpenCL, with the device below: its examples write, map, compute and read back sums
set -eu
export STARPU_NCPU=0 STARPU_OPENCL_ON_CPUS=1 STARPU_WORKERS_NOBIND=1 STARPU_SILENT=1

# Both are platforms of one loader: the examples take SOCL, which takes the other one.
mkdir vendors
cp "$OCL_ICD_VENDORS" vendors/below.icd
dpkg -L libsocl-1.3-0 | grep '\.so\.0$' >vendors/socl.icd
export OCL_ICD_VENDORS="$PWD/vendors"

examples=$(dirname "$(dpkg -L starpu-examples | grep '/socl/basic$')")
sums() { # example, sum
    "$examples/$1" >"$1.log" 2>&1 || { cat "$1.log"; echo "$1 failed"; exit 1; }
    sed -n '/^Data/{n;p}' "$1.log" | tr -s ' ' '\n' | sed '/^$/d' | sort | uniq -c | tee "$1.sums"
    grep -q " $2\$" "$1.sums" && [ "$(wc -l <"$1.sums")" = 1 ] || { echo "$1: not all sums are $2"; exit 1; }
}
sums basic 9.000000
sums testmap 7.000000
sums mansched 9.000000
echo "3 examples"
