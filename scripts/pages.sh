#!/bin/sh
# Installs what a shell knows of the command `ventus`: a manual page for each subcommand, made of its help text, and the
# completion of its words. Called by `meson install`, with the two folders below the prefix.
# usage: pages.sh MANDIR DATADIR
set -eu

ventus=$MESON_BUILD_ROOT/ventus
pages=$MESON_INSTALL_DESTDIR_PREFIX/$1/man1
completions=$MESON_INSTALL_DESTDIR_PREFIX/$2/bash-completion/completions
version=$("$ventus" --version)

# Help text to a page: the usage is the synopsis, and the rest stays as it is laid out.
page() { # NAME WHAT
    awk -v name="$1" -v what="$2" -v version="$version" '
        BEGIN {
            title = toupper(name)
            printf ".TH %s 1 \"\" \"%s\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n", title, version, name, what
        }
        /^$/ && !body { body = 1; print ".fi\n.SH DESCRIPTION\n.nf"; next }
        /^options:$/ { print ".fi\n.SH OPTIONS\n.nf"; next }
        /^commands:$/ { print ".fi\n.SH COMMANDS\n.nf"; next }
        { sub(/^usage: /, ""); gsub(/\\/, "\\e"); gsub(/-/, "\\-"); if (!body) sub(/^ +/, ""); print "\\&" $0 }'
}

mkdir -p "$pages" "$completions"
"$ventus" --help | page ventus "the Ventus GPGPU in software" >"$pages/ventus.1"
"$ventus" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1 \2/p' | while read -r command what; do
    "$ventus" "$command" --help | page "ventus-$command" "$what" >"$pages/ventus-$command.1"
done
cp "$MESON_SOURCE_ROOT/scripts/completion.bash" "$completions/ventus"
