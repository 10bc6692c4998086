# packages: hashcat
# checks: finds the words behind hashes by four kinds of attack: a list with rules, two lists, a mask, a list and a mask; the last with kernels for words of any length, too
set -eu

# --force: hashcat refuses pocl of Debian 12 as too old. Small launches, because a GPU's would take minutes here.
kernels=-O # for short words
crack() { # attack, kind of hash, hash, words and masks...
    attack=$1 kind=$2 hash=$3
    shift 3
    hashcat --force --quiet --potfile-disable -D 1,2 $kernels -n 1 -u 64 -T 32 -a "$attack" -m "$kind" "$hash" "$@" || true
}
hash() { # program text
    printf %s "$2" | "$1" | cut -d ' ' -f 1
}
found() { # word, behind the colon of the last line
    word=$1
    shift
    got=$("$@" | tail -n 1)
    echo "$got"
    [ "${got##*:}" = "$word" ] || { echo "'$word' is not found"; exit 1; }
    n=$((n + 1))
}
n=0
seq 2000 | sed 's/^/ventus/' >numbers
printf '%s\n' alpha beta gamma delta >greek
printf 'c\nu\n' >rules

found Ventus1234 crack 0 0 "$(hash md5sum Ventus1234)" numbers -r rules
found gammaventus77 crack 1 100 "$(hash sha1sum gammaventus77)" greek numbers
found x7y crack 3 1400 "$(hash sha256sum x7y)" '?l?d?l'
found delta42 crack 6 900 3bcfff9f0018d7e15e09a6ac0f5a336b greek '?d?d'
kernels=
found delta42 crack 6 1700 "$(hash sha512sum delta42)" greek '?d?d'
echo "$n attacks"
