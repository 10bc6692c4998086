# driver/ventus.h brings no foreign name into the programs that include it: what it declares outside of structures and
# parameter lists, its enumerators, tags and macros begin with ventus_ or VENTUS_. And neither it nor what users of a
# machine include brings those of the instruction table.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cd "$VENTUS_SOURCE" || exit 1

# What the compiler sees of our own files (macros too: -dD), without that of the system's.
seen() {
    printf '#include "%s"\n' "$1" | ${CC:-cc} -std=c17 -I. -dD -E - |
        awk '/^# [0-9]+ "/ { own = $3 !~ /^"(\/usr|<)/ } /^# / { next } own'
}

# The names in it. Words that C or the system's headers own are left out, so are members and parameters.
cat >"$dir/names.awk" <<'END'
BEGIN {
    n = split("bool char const double enum extern float int long short signed size_t static struct typedef union " \
              "unsigned void volatile _Bool FILE int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t", w)
    for (i = 1; i <= n; i++) known[w[i]] = 1
}
/^#(define|undef)/ { sub(/\(.*/, "", $2); print $2; next }
/^#/ { next }
{
    gsub(/"[^"]*"/, "")
    while (match($0, /[A-Za-z_][A-Za-z_0-9]*|[0-9][A-Za-z_0-9]*|[^ \t]/)) {
        t = substr($0, RSTART, RLENGTH)
        $0 = substr($0, RSTART + RLENGTH)
        if (t ~ /[({]/) { depth++; hidden[depth] = hidden[depth - 1] || t == "(" || kind != "enum" }
        else if (t ~ /[)}]/) depth--
        else if (t == ";" && !depth) kind = ""
        else if (t ~ /^(struct|union|enum)$/) kind = t
        else if (t ~ /^[A-Za-z_]/ && !(t in known) && (!hidden[depth] || before ~ /^(struct|union|enum)$/)) print t
        before = t
    }
}
END

# The names of header $1; that those after it are among them shows that the check sees names.
collect() {
    seen "$1" | awk -f "$dir/names.awk" | sort -u >"$dir/names.txt"
    header=$1
    shift
    for name; do grep -qx "$name" "$dir/names.txt" || wrong "$header: the check does not see $name"; done
}

collect driver/ventus.h ventus_launch ventus_arg ventus_device VENTUS_API_VERSION VENTUS_FAULT_READ VENTUS_TIMEOUT
foreign=$(grep -vE '^(ventus_|VENTUS_)' "$dir/names.txt") && wrong "driver/ventus.h brings foreign names:" && echo "$foreign"

collect sim/launch.h gpu_config launch FAULT_READ PATH_TAKEN_FIRST
foreign=$(grep -E '^(OP|KIND|ROLE)_|^insn$' "$dir/names.txt") && wrong "sim/launch.h brings names of isa/isa.h:" && echo "$foreign"
exit $status
