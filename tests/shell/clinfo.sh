# Debian's clinfo lists platform and device completely: it ends well, reports no failed query, and
# shows what every full-profile device has to have.
out=$($VENTUS_FOREIGN clinfo 2>&1) || { echo "$out"; echo "clinfo failed"; exit 1; }
status=0
need() {
    echo "$out" | grep -q -E "$1" || { echo "missing in clinfo's output: $1"; status=1; }
}
need 'Number of platforms +1$'
need 'Platform Name +Ventus'
need 'Number of devices +1$'
need 'Device Type +GPU'
need 'Device Version +OpenCL 3\.0 '
need 'Device OpenCL C Version +OpenCL C 1\.2 '
need 'Device Profile +FULL_PROFILE'
need 'Device Available +Yes'
need 'Compiler Available +Yes'
need 'Address bits +32, Little-Endian'
need 'Max work item dimensions +3'
need 'Max work group size +[1-9]'
need 'Preferred work group size multiple.* +[1-9]'
need 'Global memory size +[1-9]'
need 'Local memory size +[1-9]'
need 'printf\(\) buffer size +1048576'
need 'Device Extensions +.*cl_khr_byte_addressable_store'
if echo "$out" | grep -n -i -E '<[^>]*(error|invalid)|CL_INVALID|CL_OUT_OF'; then
    echo "a query failed (lines above)"
    status=1
fi
[ $status = 0 ] || echo "$out"
exit $status
