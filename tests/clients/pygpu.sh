# packages: python3-pygpu python3-pytest
# checks: its own tests of devices and of joining and splitting arrays
set -eu
export DEVICE=opencl0:0
tests=$(dirname "$(dpkg -L python3-pygpu | grep '/tests/test_basic.py$')")
/usr/bin/python3 -m pytest -q -rA -p no:cacheprovider "$tests/test_basic.py" "$tests/test_operations.py" >log ||
    { cat log; exit 1; }
sed -n 's/^PASSED .*:://p' log >result
tail -n 1 log
