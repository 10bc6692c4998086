# run -g 64 -a iota:64
# Steps of one work-item: over a branch whose sides run one after the other, into a called function and out of it.
tbreak steps
continue
# expect Temporary breakpoint 1, steps (a=0x90000000) at steps.cl
ventus workitem 4 0 0
next
next
next
break twice
# expect Breakpoint 2 at 0x8
continue
# expect "(1,0,0)" hit Breakpoint 2, twice (v=1) at steps.cl:3
backtrace
# expect #0  twice (v=1) at steps.cl:3
# expect in steps (a=0x90000000) at steps.cl:12
p v
# expect = 1
ventus workitem 7 0 0
p v
# expect = 7
ventus workitem 1 0 0
finish
# expect cannot determine its returned value
# expect steps (a=0x90000000) at steps.cl:12
next
# expect 15	    a[i] = x;
p x
# expect = 3
delete
set scheduler-locking on
ventus workitem 33 0 0
stepi
ventus workitem 1 0 0
next
next
next
# expect waits for warps that are held (scheduler-locking)
set scheduler-locking off
ventus workitem 40 0 0
tbreak 18
continue
# expect "(0,0,0)" hit Temporary breakpoint
ventus workitem 63 0 0
until
continue
# expect exited normally
