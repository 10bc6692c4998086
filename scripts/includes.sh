#!/bin/sh
# Prints each #include that goes against the order of the folders, and fails if there is one.
#
#   scripts/includes.sh [FILE...]       files of the tree; all C files by default, without tests
#
# A folder may include itself, its subfolders and what stands behind its name here; a folder of compiler/ what is on
# its own line, and asm/ and isa/ as all of compiler/ does. docs/architecture.md and compiler/README.md say why.
set -eu
cd "$(dirname "$0")/.."
if [ $# = 0 ]; then set -- $(git ls-files '*.c' '*.h' '*.def' 2>/dev/null || find . -name '*.[ch]' | sed 's,^\./,,'); fi

awk '
    BEGIN {
        allow("isa", "")
        allow("host", "")
        allow("asm", "isa")
        allow("sim", "isa host")
        allow("check", "isa sim")
        allow("quirks", "isa sim")
        allow("trace", "isa sim")
        allow("coverage", "isa sim")
        allow("timing", "isa sim")
        allow("debug", "isa host sim")
        allow("profile", "isa host asm sim timing")
        allow("native", "isa host sim")
        allow("translator", "isa host sim native")
        allow("driver", "isa host asm sim check quirks debug timing profile")
        allow("vt", "isa host asm sim driver")
        allow("cosim", "isa asm sim quirks trace vt")
        allow("opencl", "isa host sim driver")
        allow("tools", "isa host asm sim check quirks trace coverage timing profile driver vt")
        allow("compiler", "isa host asm")
        allow("examples", "opencl")
        compiler = "isa asm compiler/core"
        allow("compiler/core", "isa asm")
        allow("compiler/ir", compiler " compiler/library")
        allow("compiler/frontend", compiler " compiler/ir host")
        allow("compiler/spirv", compiler " compiler/ir")
        compiler = compiler " compiler/ir compiler/machine"
        allow("compiler/machine", compiler)
        allow("compiler/analysis", compiler)
        compiler = compiler " compiler/analysis"
        allow("compiler/select", compiler)
        allow("compiler/dwarf", "isa compiler/core")
        compiler = compiler " compiler/select compiler/dwarf"
        allow("compiler/debug", compiler)
        compiler = compiler " compiler/debug"
        allow("compiler/codegen", compiler)
        allow("compiler/passes", compiler)
        allow("compiler/output", compiler " compiler/codegen compiler/passes compiler/frontend")
        allow("compiler/library", "isa")
    }
    function allow(folder, others) { known[folder]; may[folder] = " " others " " }
    # The longest name in the table that a path is in.
    function folder_of(path,    name) {
        for (name = path; sub("/[^/]*$", "", name);) if (name in known) return name
        return ""
    }
    FNR == 1 { own = folder_of(FILENAME); skip = own == "" || FILENAME ~ /_test\.c$|\/hand\.h$/ }
    skip || !/^#include "/ { next }
    {
        split($0, part, "\"")
        other = folder_of(part[2])
        if (other == "" || other == own || index(other, own "/") == 1 || index(may[own], " " other " ")) next
        printf "%s:%d: %s/ does not include %s/\n", FILENAME, FNR, own, other
        wrong = 1
    }
    END { exit wrong }' "$@"
