# run -g 64 -l 32 -a buf:512 -a iota:64 --config paged.conf --check=bounds
# With virtual addresses, too, memory can be changed where a check has found something, in the middle of an instruction,
# and code not.
continue
# expect "(63,0,0)" received signal SIGABRT, Aborted.
# expect paged.cl:6
set $out = out
print out[127] = 4000
# expect = 4000
print mine[3] = 100
# expect = 100
print $out[127] + mine[3]
# expect = 4100
print ((int *)in)[3] = 900
# expect = 900
python
try:
    gdb.execute("set *(int *)$pc = 0")
    print("code is written")
except gdb.error as error:
    print(error)
end
# expect Cannot access memory
# never code is written
tbreak paged.cl:7
continue
# expect paged.cl:7
stepi
print in[3]
# expect = 900
tbreak paged.cl:8
continue
# expect paged.cl:8
print $out[63]
# expect = 4063
