# The program of docs/driver.md, with the kernel of that page, prints what the page says.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
page=$VENTUS_SOURCE/docs/driver.md
awk '/^```$/ && !on && !done { on = 1; next } /^```$/ { on = 0; done = 1 } on' "$page" >"$folder/scale.cl"
"$VENTUS_BUILD/ventus" cc "$folder/scale.cl" -o "$folder/scale.elf" || exit 1
"$VENTUS_BUILD/tests/driver/example" "$folder/scale.elf" >"$folder/out" || exit 1
awk '/^prints$/ { on = 1; next } on && /^    / { print substr($0, 5) } on && /^\(/ { exit }' "$page" >"$folder/want"
[ -s "$folder/want" ] && diff "$folder/want" "$folder/out" || exit 1

# Other machines: one whose groups are too small, one with narrower warps, one that is not there.
VENTUS_CONFIG=$VENTUS_SOURCE/configs/rtl.conf "$VENTUS_BUILD/tests/driver/example" "$folder/scale.elf" 2>&1 | grep 'cannot hold' || exit 1
echo 'sms = 1
threads_per_warp = 16' >"$folder/machine.conf"
VENTUS_CONFIG=$folder/machine.conf "$VENTUS_BUILD/tests/driver/example" "$folder/scale.elf" | grep '^8 work-groups, 64 warps$' || exit 1
VENTUS_CONFIG=$folder/nowhere.conf "$VENTUS_BUILD/tests/driver/example" "$folder/scale.elf" 2>&1 | grep 'invalid machine' || exit 1
