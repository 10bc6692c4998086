#!/bin/sh
# Installs a build folder, and takes it away again. What was installed is in a list, PREFIX/share/ventus/installed.txt, which
# grows when another version is installed over it; so uninstalling needs no build folder and leaves nothing. DESTDIR (a
# variable) goes before all paths. Called by `make install` and `make uninstall`.
#
#   install.sh BUILD PREFIX ICD_FOLDER
#   install.sh --uninstall PREFIX
set -eu

die() { echo "install: $*" >&2; exit 1; }
stage=${DESTDIR-}
stage=${stage%/}

# Programs find libraries of system folders by a cache, which only root has to care for.
refresh() { if [ -z "$stage" ] && [ "$(id -u)" = 0 ]; then ldconfig 2>/dev/null || true; fi; }

install() { # BUILD PREFIX ICD_FOLDER
    list=$stage$2/share/ventus/installed.txt
    exec 9>"$1/meson-logs/install.lock"
    flock 9 # the log that is read below is that of the last one
    meson install -C "$1" --no-rebuild --quiet
    # Meson's log has the files, and the folders that it has made.
    { cat "$list" 2>/dev/null || true; sed -n "s|^$stage/|/|p" "$1/meson-logs/install-log.txt"; } | sort -u >"$list.part"
    mv "$list.part" "$list"
    refresh
    echo "installed below $2; make uninstall PREFIX=$2 removes it"
    case :$PATH: in *":$2/bin:"*) ;; *) echo "  the command:          export PATH=$2/bin:\$PATH" ;; esac
    case $3 in
    /etc/OpenCL/vendors) echo "  the device:           any OpenCL program finds it; clinfo -l lists it" ;;
    *) echo "  the device:           export OCL_ICD_VENDORS=$3"
       echo "  and other devices:    ln -s /etc/OpenCL/vendors/*.icd $3" ;;
    esac
    echo "  Python's package:     export PYTHONPATH=$2/share/ventus/python"
    echo "  what to read:         man ventus-opencl, man ventus; $2/share/doc/ventus"
}

# Paths on standard input, what a folder holds before the folder; folders that others use stay.
remove() {
    while read -r path; do
        path=$stage$path
        if [ -d "$path" ] && [ ! -L "$path" ]; then rmdir --ignore-fail-on-non-empty "$path" || return 1
        elif [ -e "$path" ] || [ -L "$path" ]; then rm "$path" || return 1
        fi
    done
}

uninstall() { # PREFIX
    list=$stage$1/share/ventus/installed.txt
    [ -f "$list" ] || die "nothing to remove: there is no $list (make uninstall PREFIX=where it is)"
    rm -rf "$stage$1/share/ventus/python/ventus/__pycache__" # Python's own
    copy=$(mktemp)
    trap 'rm -f "$copy"' EXIT
    LC_ALL=C sort -r "$list" >"$copy"
    rm "$list"
    remove <"$copy" || { cp "$copy" "$list"; die "not all could be removed; try again with the rights of who installed it"; }
    refresh
    echo "removed what was installed below $1"
}

if [ "${1-}" = --uninstall ]; then
    [ $# = 2 ] || die "usage: install.sh --uninstall PREFIX"
    uninstall "$2"
else
    [ $# = 3 ] || die "usage: install.sh BUILD PREFIX ICD_FOLDER"
    install "$@"
fi
