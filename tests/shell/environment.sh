# Programs with more rights than their user do not obey the environment: no VENTUS_ variable names a file or a program for
# them.
set -u
. "$VENTUS_SOURCE/tests/shell/common"

(cd "$VENTUS_SOURCE" && grep -nw getenv --include='*.[ch]' -r asm compiler driver isa native opencl sim timing tools vt) |
    grep -v '_test\.c:' && wrong "getenv instead of secure_getenv"

# Such a program, which only root can make, and a user for it. A sanitizer's library is not for it either.
[ "$(id -u)" = 0 ] && [ -z "$VENTUS_FOREIGN" ] && command -v setpriv >/dev/null || exit $status
chmod 755 .
printf ' endprg\n' | "$ventus" as - -o none.elf
chmod 644 none.elf
cp "$ventus" ventus
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups env VENTUS_ENGINE=none ./ventus run none.elf -g 1; }
chmod 755 ventus
as_user >out.txt 2>&1 && wrong "an ordinary program does not obey VENTUS_ENGINE"
chown 1:1 ventus
chmod 6755 ventus
as_user >out.txt 2>&1 || wrong "a set-user-ID program obeys VENTUS_ENGINE: $(head -n 2 out.txt)"
exit $status
