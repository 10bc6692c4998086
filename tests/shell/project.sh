# The pages and files about the project itself: one version everywhere, lists that can be followed, files that services read.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
cd "$VENTUS_SOURCE" || exit 1

# ---- the version: that of meson.build ----

version=$(sed -n "1s/.* version: '\([^']*\)'.*/\1/p" meson.build)
[ -n "$version" ] || wrong 'meson.build: no version in the first line'
same() { [ "$2" = "$version" ] || wrong "$1 says version '$2', meson.build $version"; }
same 'ventus --version' "$("$ventus" --version | sed 's/^ventus //')"
same 'ventus info' "$("$ventus" info | sed -n 's/^# ventus \([^,]*\),.*/\1/p')"
same clinfo "$($VENTUS_FOREIGN clinfo | sed -n 's/^  Driver Version  *//p')"
same 'CITATION.cff' "$(sed -n 's/^version: //p' CITATION.cff)"
same 'CHANGELOG.md' "$(sed -n 's/^## \([^ ]*\) .*/\1/p' CHANGELOG.md | head -n 1)"
echo 'kernel void k(global int *a) { a[0] = 1; }' >"$dir/k.cl"
"$ventus" cc --options -g "$dir/k.cl" || wrong 'ventus cc'
same 'debug information' "$(grep -a -o 'ventus-cc [0-9.]*' "$dir/k.elf" | sed 's/.* //')"
grep -rn --include=*.c --include=*.h --include=*.in -F "\"$version\"" asm compiler driver isa native opencl sim timing tools vt &&
    wrong 'the version is written a second time'

# ---- CONTRIBUTING.md: lists of at most five steps, of files that are there ----

awk '/^#+ / { title = $0 } /^1\. / { n = 0 } /^[0-9]+\. / { if (++n != $1 + 0 || n > 5) { print title ": step " $1; bad = 1 } } END { exit bad }' \
    CONTRIBUTING.md || wrong 'CONTRIBUTING.md: steps'
for list in 'An instruction' 'A built-in function' 'An extension' 'An observer' 'A parameter'; do
    grep -q -x "### $list" CONTRIBUTING.md || wrong "CONTRIBUTING.md: no list '$list'"
done

# ---- names of files in pages for strangers ----

# In backquotes, with a folder or an ending of ours: that path, or one that ends so.
for page in README.md README.zh.md CONTRIBUTING.md CHANGELOG.md docs/glossary.md docs/style.md; do
    [ -f "$page" ] || continue
    for name in $(grep -o '`[A-Za-z0-9_./*-]*`' "$page" | tr -d '`' | grep -e '^[a-z]*/[a-z]' -e '\.\(c\|h\|md\|def\|sh\|build\)$' | grep -v '^build/'); do
        [ -n "$(find . -path "./$name" -o -path "./${name%/}" -o -path "./*/${name#./}" 2>/dev/null | head -n 1)" ] || wrong "$page: there is no $name"
    done
done

# The glossary's are paths from the top: many names are there twice.
for name in $(grep -o '`[a-z0-9_/]*\.\(c\|h\|md\|def\)`' docs/glossary.md | tr -d '`'); do
    [ -f "$name" ] || wrong "docs/glossary.md: there is no $name"
done

# So do comments: a file that is named there is in the tree. Not ours: ventus_rtlsim.h; examples: k.c, a.h, h.h.
git ls-files '*.[ch]' '*.def' | grep -v -e '^tests/' -e '_test\.c$' | xargs grep -v '^ *#' | grep -oE '^[^:]*:|(^|[^A-Za-z0-9_./%"<-])[a-z][a-z0-9_/]*\.[ch]\b' |
    awk '/:$/ { file = $0; next } { gsub(/[^a-z0-9_\/.]/, ""); n = split($0, part, "/"); print part[n], file }' | sort -u >"$dir/named"
git ls-files | sed 's,.*/,,' | sort -u >"$dir/there"
join -v1 "$dir/named" "$dir/there" | grep -v -x -e 'ventus_rtlsim\.h .*' -e '[akh]\.[ch] .*' >"$dir/missing" && wrong "files that are named and not there: $(cat "$dir/missing")"

# The table of folders has all of them.
for folder in $(git ls-files | sed -n 's,^\([a-z][^/]*/\).*,\1,p' | sort -u); do
    sed -n '/^| folder |/,/^$/p' README.md | grep -q -F "\`$folder\`" || wrong "README.md: no row for $folder"
done

# What pages tell to make, the Makefile can.
for page in *.md docs/*.md */README.md; do
    for target in $(grep -o -e '^    make [a-z][a-z -]*' -e '`make [a-z][a-z -]*' "$page" | sed 's/.*make //'); do
        grep -q -e "^$target:" -e "^$target [a-z-]*:" Makefile || wrong "$page: make $target, which the Makefile does not have"
    done
done

# Links of all pages lead to files, and to headings that they have.
for page in *.md docs/*.md */README.md; do
    for link in $(grep -v '^    ' "$page" | sed 's/`[^`]*`//g' | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//'); do
        case $link in
        http*) continue ;;
        '#'*) file=$page ;;
        *) file=$(dirname "$page")/${link%%#*} ;;
        esac
        [ -e "$file" ] || wrong "$page: the link $link leads nowhere"
        case $link in *'#'*)
            grep '^#' "$file" | sed 's/^#* //' | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g' | grep -q -x -e "${link#*#}" ||
                wrong "$page: $file has no heading #${link#*#}" ;;
        esac
    done
done

# The two READMEs say the same: the same blocks but for comments, links, and rows of tables, in the same order.
for page in README.md README.zh.md; do
    { sed -n '/^    /s/ *#.*//p' $page; grep -o '](\([^)]*\))' $page | grep -v README; grep -c '^|' $page; grep -c '^#' $page; } >"$dir/$page"
done
diff "$dir/README.md" "$dir/README.zh.md" || wrong 'README.zh.md does not say what README.md says'

# ---- what services and editors read ----

cat >"$dir/read.py" <<'END'
import json, sys
json.load(open(".devcontainer/devcontainer.json"))
try:
    import yaml
except ImportError:
    sys.exit(0)
for job in yaml.safe_load(open(".github/workflows/ci.yml"))["jobs"].values():
    assert [s["run"] for s in job["steps"] if "run" in s] == [".ci/run"], job
for name in "wrong", "missing":
    form = yaml.safe_load(open(f".github/ISSUE_TEMPLATE/{name}.yml"))
    assert form["name"] and form["description"] and all(f["attributes"]["label"] for f in form["body"]), name
    assert len({f["id"] for f in form["body"]}) == len(form["body"]), name
assert yaml.safe_load(open("CITATION.cff"))["cff-version"] == "1.2.0"
database = yaml.safe_load(open(".clangd"))["CompileFlags"]["CompilationDatabase"]
assert database == "build", database
commands = json.load(open(sys.argv[1] + "/compile_commands.json"))
assert any(c["file"].endswith("sim/dispatch.c") for c in commands)
END
python3 "$dir/read.py" "$VENTUS_BUILD" || wrong 'files of services'
exit $status
