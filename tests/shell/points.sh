# Commands that compare design points of the cycle model: compare, roofline.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unpack_cases
cases=$PWD/cases configs=$VENTUS_SOURCE/configs
fan1=$cases/gpgpu-adv-gaussian__Fan1_0.metadata fan2=$cases/gpgpu-adv-gaussian__Fan2_0.metadata

cat >add.cl <<'END'
kernel void add(global int *a, global const int *b) { a[get_global_id(0)] += b[get_global_id(0)]; }
END
"$ventus" cc add.cl -o add.elf || wrong 'ventus cc'
echo 'kernel void forever(global volatile int *a) { while (!*a); }' >forever.cl
"$ventus" cc forever.cl -o forever.elf || wrong 'ventus cc'
run='-g 512 -l 64 -a iota:512 -a iota:512'

# The cycles of a design point are those of `ventus run` there, for a program and for each of several launches.
"$ventus" compare add.elf --config "$configs/chisel.conf" --config "$configs/large.conf" --csv add.csv -- -g 512 -l 32 -a iota:512 -a iota:512 >add.txt ||
    wrong 'compare'
for name in chisel large; do
    want=$("$ventus" run add.elf -g 512 -l 32 -a iota:512 -a iota:512 --config "$configs/$name.conf" | sed -n 's/^add: \([0-9]*\) cycles/\1/p')
    [ -n "$want" ] && grep -q "^  cycles .* $want\( \|$\)" add.txt || wrong "compare: not $want cycles on $name"
done
sed -n 's/^"add","cycles",//p' add.csv | tr , '\n' >cycles.txt
[ "$(wc -l <cycles.txt)" = 2 ] && grep -qx "$want" cycles.txt || wrong 'compare --csv'
"$ventus" compare "$fan1" "$fan2" --timing verilog --timing ideal --csv - >fans.csv || wrong 'compare of launches'
"$ventus" run --case "$fan1" --case "$fan2" --timing verilog | sed -n 's/.*: \([0-9]*\) cycles$/\1/p' >want.txt
sed -n 's/.*"cycles",\([0-9]*\),.*/\1/p' fans.csv | cmp -s - want.txt || wrong 'cycles of launches'
check 1 'no cycle model' "$ventus" compare add.elf --config "$configs/default.conf" -- $run
check 1 '^large: ventus run: the kernel failed: .*unmapped' \
    "$ventus" compare add.elf --timing large -- -g 32 -a null -a iota:512
printf 'profile = r2.0\ntiming = large\n' >old.conf
check 1 '^old.conf: ventus: add.elf: the program is of profile default, the machine of profile r2.0' \
    "$ventus" compare add.elf --timing large --config old.conf -- $run
check 1 '^old.conf: ventus: add.elf: the program is' "$ventus" roofline add.elf --config old.conf -- $run
check 1 '^ventus: large: the run was ended by signal ' sh -c 'ulimit -S -t 1; exec "$@"' sh "$ventus" compare forever.elf --timing large -- -g 1 -a buf:4
check 2 'neither a configuration' "$ventus" compare add.elf --timing nowhere -- $run
check 1 'cannot' "$ventus" compare nowhere.elf --timing large -- $run
check 2 'design points are needed' "$ventus" compare add.elf -- $run
check 2 'program or a recorded launch' "$ventus" compare --timing large

# A picture of each kernel, none above the roof.
"$ventus" roofline "$fan1" "$fan2" --timing verilog -o fans.svg >fans.txt || wrong 'roofline'
cat >picture.py <<'END'
import sys, xml.dom.minidom
svg = xml.dom.minidom.parse(sys.argv[1]).documentElement
circles = svg.getElementsByTagName("circle")
lines = [p for p in svg.getElementsByTagName("path") if p.getAttribute("class") == "line"]
assert svg.tagName == "svg" and len(circles) == int(sys.argv[2]) and len(lines) == int(sys.argv[3])
for c in circles:
    assert 80 <= float(c.getAttribute("cx")) <= 770 and 50 <= float(c.getAttribute("cy")) <= 490, c.toxml()
END
python3 picture.py fans.svg 2 2 || wrong 'the picture'
odd=$(printf 'odd\342\202<\302\233\377.conf') # the first character that is cut off ends a piece of text: < is put apart
cp "$configs/large.conf" "$odd"
"$ventus" roofline add.elf --config "$odd" -o odd.svg -- $run >out.txt || wrong 'roofline with a name that is no text'
python3 picture.py odd.svg 1 2 || wrong 'the picture of a name that is no text'
python3 -c 'assert "odd\ufffd\ufffd&lt; \ufffd" in open("odd.svg", encoding="utf-8").read()' || wrong 'a name that is no text'
awk '$NF == "%" { n++; if ($(NF - 1) <= 0 || $(NF - 1) > 100) bad = 1 } END { exit bad || n != 2 }' fans.txt || { wrong 'a kernel above the roof'; cat fans.txt; }
check 0 '^roofs: 256 lane operations per cycle, 64.00 bytes' "$ventus" roofline add.elf --config "$configs/large.conf" -- $run
check 2 'a design point is needed' "$ventus" roofline add.elf -- $run
check 1 'cannot' "$ventus" roofline add.elf --timing large -o nowhere/x.svg -- $run
exit $status
