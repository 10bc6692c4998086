# Makes the tests in the current folder: `source` of the packages and of what is here, programs in `programs`.
set -eu
mkdir source
tar -xf /usr/src/pocl.tar.xz -C source --strip-components 1 \
    pocl/cmake pocl/poclu pocl/config.h.in.cmake pocl/pocl_opencl.h.in.cmake pocl/include/vccompat.hpp pocl/include/CL/cl_ext_pocl.h
cp "$CLIENTS"/pocl-tests/CMakeLists.txt "$CLIENTS"/pocl-tests/macros.h source
cmake -S source -B programs -DCMAKE_BUILD_TYPE=None
make -j2 -C programs
