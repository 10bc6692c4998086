#!/bin/sh
# Makes the manual pages: ventus(1) and one for each subcommand, of their help texts; ventus-config(5) and ventus-opencl(7), of
# the tables in docs/machine.md, docs/opencl.md and timing/parameters.def. Called by the build.
# usage: pages.sh VENTUS FOLDER: the pages go to FOLDER/man1, man5 and man7
set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
ventus=$(realpath "$1") folder=$2
version=$("$ventus" --version)

# Help text to a page: the usage is the synopsis, and the rest stays as it is laid out.
command_page() { # NAME WHAT
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

title() { # NAME SECTION WHAT
    printf '.TH %s %s "" "%s"\n.SH NAME\n%s \\- %s\n' "$(echo "$1" | tr 'a-z' 'A-Z')" "$2" "$version" "$1" "$3"
}

# The section of a page of documentation between two headings.
section() { # PAGE FROM TO
    sed -n "/^## $2\$/,/^## $3\$/p" "$source/docs/$1"
}

# Tables of Markdown to tagged paragraphs: the first cell is the tag; a cell that a title is given for begins with it.
entries() { # TITLE...
    awk -v titles="$*" '
        function roff(text) {
            gsub(/\\/, "\\e", text)
            gsub(/-/, "\\-", text)
            while (match(text, /`[^`]*`/))
                text = substr(text, 1, RSTART - 1) "\\fB" substr(text, RSTART + 1, RLENGTH - 2) "\\fR" substr(text, RSTART + RLENGTH)
            return "\\&" text
        }
        BEGIN { split(titles, title, " ") }
        /^\| `/ {
            sub(/^\| /, "")
            sub(/ \|$/, "")
            n = split($0, cell, / \| /)
            print ".TP\n" roff(cell[1])
            for (i = 2; i <= n; i++) print (i > 2 ? ".br\n" : "") roff((title[i - 1] == "" ? "" : title[i - 1] " ") cell[i])
        }'
}

# Rows of parameters.def as those of a table in Markdown.
model_parameters() {
    sed -n 's/^PARAMETER(\([a-z0-9_]*\), *\([^,]*\), *\([^,]*\),.*, *"\(.*\)")$/| `\1` | \2 to \3 | \4 |/p' "$source/timing/parameters.def"
}

config_page() {
    title ventus-config 5 'machine files of the Ventus GPGPU'
    cat <<'END_OF_TEXT'
.SH SYNOPSIS
.nf
VENTUS_CONFIG=\fIFILE program\fR
ventus run \-\-config \fIFILE\fR ...
.fi
.SH DESCRIPTION
A machine file says what the simulated GPU is like: lines \fIname\fB = \fIvalue\fR; a \fB#\fR begins a comment, and a number may end in
\fBK\fR or \fBM\fR.
What a file leaves out is as in the default machine.
\fBventus info\fR prints the whole machine as such a file; the machines that come with Ventus are in \fIshare/ventus/configs\fR.
.SH PARAMETERS
END_OF_TEXT
    section machine.md Parameters 'Memory map' | sed 's/ (below[^)]*)//' | entries default:
    cat <<'END_OF_TEXT'
.SH FILES OF THE CYCLE MODEL
What \fBtiming\fR names is a file of the same form. Its first line may be \fBbase =\fR with one of \fBverilog\fR, \fBchisel\fR, \fBideal\fR
and \fBlarge\fR, of which it changes parameters; without it, it changes those of \fBverilog\fR. The values that each of them has
are in \fIshare/ventus/parameters.def\fR.
END_OF_TEXT
    model_parameters | entries from
    cat <<'END_OF_TEXT'
.SH FILES
.TP
.I share/ventus/configs
machines: the default one, those of the project's documents, and whole design points with a model of their cycles
.TP
.I share/ventus/parameters.def
the parameters of the cycle model, with their values in each configuration
.SH SEE ALSO
.BR ventus (1),
.BR ventus\-info (1),
.BR ventus\-run (1),
.BR ventus\-opencl (7);
.IR share/doc/ventus/docs/machine.md ,
.I share/doc/ventus/docs/timing.md
END_OF_TEXT
}

opencl_page() {
    title ventus-opencl 7 'the OpenCL device of the Ventus GPGPU'
    cat <<'END_OF_TEXT'
.SH DESCRIPTION
OpenCL programs find the simulated Ventus GPGPU through the OpenCL loader, as the platform \(lqVentus\(rq with one device of type GPU.
The loader reads the file \fIventus.icd\fR in the folder that the variable \fBOCL_ICD_VENDORS\fR names, by default
\fI/etc/OpenCL/vendors\fR. Kernels are compiled by \fBventus\-cc\fR, which needs \fBclang\-19\fR.
.SH ENVIRONMENT
Programs with more rights than their user obey none of these variables.
END_OF_TEXT
    section opencl.md Environment Troubleshooting | entries
    cat <<'END_OF_TEXT'
.SH SEE ALSO
.BR ventus (1),
.BR ventus\-config (5),
.BR clinfo (1);
.IR share/doc/ventus/docs/opencl.md ,
.I share/doc/ventus/docs/opencl\-c.md
END_OF_TEXT
}

mkdir -p "$folder/man1" "$folder/man5" "$folder/man7"
"$ventus" --help | command_page ventus "the Ventus GPGPU in software" >"$folder/man1/ventus.1"
"$ventus" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1 \2/p' | while read -r command what; do
    "$ventus" "$command" --help | command_page "ventus-$command" "$what" >"$folder/man1/ventus-$command.1"
done
config_page >"$folder/man5/ventus-config.5"
opencl_page >"$folder/man7/ventus-opencl.7"
touch "$folder" # an output of the build: not older than what it is made of
