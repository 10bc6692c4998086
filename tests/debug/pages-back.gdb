# run -k pages -g 64 -l 32 -a iota:65536 -a iota:64
# Going back puts memory back as the launch has found it: pages that were written before it, a page that is alone, and
# pages that nobody had touched. The launch then computes the same again.
break pages.cl:8 if $gid(0) == 63
continue
# expect hit Breakpoint 1
python
try:
    gdb.execute("record")
except gdb.error as error:
    print(error)
end
# expect Each launch is recorded from its beginning
set $a = a
set $few = few
print $a[64512]
# expect = 64513
print $few[63]
# expect = 68
print mine[63]
# expect = 2
reverse-continue
# expect No more reverse-execution history.
print $a[64512]
# expect = 64512
print $a[1024]
# expect = 1024
print $few[63]
# expect = 63
continue
# expect hit Breakpoint 1
print $a[64512]
# expect = 64513
print $a[1024]
# expect = 1025
print $few[63]
# expect = 68
print mine[63]
# expect = 2
