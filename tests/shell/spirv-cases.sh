# Some cases of tests/cl/ and images by way of SPIR-V: the results are those of the sources. All of them: make test-spirv.
for tool in clang-15 llvm-spirv-15; do
    command -v $tool >/dev/null || { echo "$tool is not installed: apt install $tool"; exit 77; }
done
export VENTUS_CC="$VENTUS_SOURCE/tests/spirv/ventus-cc" VENTUS_TRANSLATED="$VENTUS_BUILD/ventus-cc" VENTUS_CACHE=0
status=0
for case in async calls generic printf struct; do
    "$VENTUS_BUILD/tests/clrun" "$VENTUS_SOURCE/tests/cl/$case.cl" || { echo "FAILED: $case"; status=1; }
done
"$VENTUS_BUILD/tests/opencl/sample_test" || status=1
exit $status
