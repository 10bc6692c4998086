# run -g 128 -l 64 -a iota:128
# The end of a work-item that goes alone: gdb steps it alone over the breakpoint in the last line, and the user holds the others.
break 18
continue
# expect "(0,0,0)" hit Breakpoint 1, steps (a=0x90000000) at steps.cl:18
continue
# expect the work-item has ended
# expect "(32,0,0)" hit Breakpoint 1, steps (a=0x90000000) at steps.cl:18
stepi
# expect the work-item has ended
# expect 0x01000000 in ?? ()
info threads
# expect Thread 34 "ended"
p $x5
# expect <unavailable>
continue
# The breakpoint is back: groups that begin later come to it.
# expect "(64,0,0)" hit Breakpoint 1, steps (a=0x90000000) at steps.cl:18
delete
set scheduler-locking on
stepi
# expect the work-item has ended
continue
# expect the work-item has ended
# expect "(96,0,0)" received signal SIGINT
print $gid(0)
# expect = 96
# Without a step: it goes on alone to its end, and nobody is held then.
continue
# expect exited normally
