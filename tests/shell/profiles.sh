# A program says which instruction set it is of: every tool takes it from the file, and other machines refuse it.
. "$VENTUS_SOURCE/tests/shell/common"

# out = what the instruction does that each profile has its own word for: a store through a prefix of r2.1, ...
cat >store.s <<'END'
        .kernel k
        .arg    global, out
k:      lw      t0, 0(a0)
        vid.v   v0
        vsll.vi v1, v0, 2
        vadd.vx v1, v1, t0
        STORE
        ret
END
for profile in default toolchain r2.0 r2.1 r2025; do
    case $profile in
    r2.1) store='vsw12.v v0, 0(v1) {pre_m_global_32}' ;;
    r2025) store='vsw_global.v v0, 0(v1)' ;;
    *) store='vsw12.v v0, 0(v1)' ;;
    esac
    sed "s/STORE/$store/" store.s >$profile.s
    check 0 '' "$ventus" as --profile $profile $profile.s -o $profile.elf
    check 0 '' "$ventus" as --profile $profile -c $profile.s -o $profile.o
    check 0 "^ *0 1 2 3" "$ventus" run $profile.elf -g 4 -a buf:16 --show 0
    check 0 '' "$ventus" ld $profile.o -o linked.elf
    check 0 "^ *0 1 2 3" "$ventus" run --profile $profile linked.elf -g 4 -a buf:16 --show 0
    for file in $profile.elf $profile.o; do
        check 0 "$(echo "$store" | sed 's/ .*//')" "$ventus" objdump --text $file
        ! grep -q '\.word' out.txt || wrong "$file is listed as another profile's"
    done
done
check 0 '^r2.1$' sh -c "'$ventus' run r2.1.elf -g 4 -a buf:16 --json - | sed -n 's/.*\"profile\": \"\([^\"]*\)\".*/\1/p'"
check 1 'r2025.elf: the program is of profile r2025, the machine of profile r2.0' \
    "$ventus" run --profile r2.0 r2025.elf -g 4 -a buf:16
check 1 'is of profile r2.1, the machine of profile toolchain' \
    "$ventus" run --config "$VENTUS_SOURCE/configs/rtl.conf" r2.1.elf -g 4 -a buf:16
check 0 '^ *0 1 2 3' "$ventus" run --profile default toolchain.elf -g 4 -a buf:16 --show 0
check 1 'r2025.o: error: it is of profile r2025, and what comes before of profile r2.1' "$ventus" ld r2.1.o r2025.o
check 1 'r2.0.o: error: it is of profile r2.0, and what comes before of profile default' "$ventus" ld --profile default r2.0.o

# The compiler's programs are of the profile that they were made for.
echo 'kernel void k(global int *p) { p[get_global_id(0)] = 5; }' >k.cl
check 0 '' "$ventus" cc --profile toolchain k.cl -o k.elf
check 0 '\.option profile, toolchain' "$ventus" objdump k.elf
check 0 '' "$ventus" cc k.cl -o k.elf
check 1 'is of profile default, the machine of profile toolchain' "$ventus" run --profile toolchain k.elf -g 4 -a buf:16
check 2 'r9: programs are made for' "$ventus" cc --profile r9 k.cl -o k.elf
exit $status
