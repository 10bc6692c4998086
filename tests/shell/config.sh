# The OpenCL device is the machine that VENTUS_CONFIG names; with a file that is wrong there is none.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'sms = 1\nclock_mhz = 123\n' >"$folder/small.conf"
out=$(VENTUS_CONFIG=$folder/small.conf $VENTUS_FOREIGN clinfo 2>&1)
echo "$out" | grep -E 'Max compute units +1$' && echo "$out" | grep -E 'Max clock frequency +123MHz' || { echo "$out"; exit 1; }
# Local memory is what the scalar stacks of all warps, 1 KiB each, leave of it.
printf 'warps_per_sm = 8\nlds_bytes = 49152\n' >"$folder/local.conf"
out=$(VENTUS_CONFIG=$folder/local.conf $VENTUS_FOREIGN clinfo 2>&1)
echo "$out" | grep -E 'Local memory size +40960 ' || { echo "$out"; exit 1; }
printf 'sms = 0\n' >"$folder/bad.conf"
out=$(VENTUS_CONFIG=$folder/bad.conf VENTUS_DEBUG=1 $VENTUS_FOREIGN clinfo 2>&1)
echo "$out" | grep -E 'Number of devices +[1-9]' && exit 1
echo "$out" | grep 'bad.conf' || { echo "$out"; exit 1; }
# So does a cycle model whose name is longer than any.
out=$(VENTUS_TIMING=$(printf %04000d 1) $VENTUS_FOREIGN clinfo 2>&1)
echo "$out" | grep -E 'Number of devices +[1-9]' && exit 1
echo "$out" | grep 'no device: VENTUS_TIMING: the name is too long' || { echo "$out"; exit 1; }
