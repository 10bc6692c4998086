# packages: python3-gpyfft python3-pytest
# checks: its own tests: transforms in one and two dimensions, in batches, with callbacks in OpenCL C
set -eu
tests=$(dirname "$(dpkg -L python3-gpyfft | grep '/test/test_gpyfft.py$')")
/usr/bin/python3 -m pytest -q -rA -p no:cacheprovider "$tests" >log || { cat log; exit 1; }
sed -n 's/^PASSED .*:://p' log >result
tail -n 1 log
