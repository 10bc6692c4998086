# both ./both 64
# gdb's non-stop mode: the user steps a work-item of another warp to its end.
break twice if $gid(0) == 3
run
# expect hit Breakpoint 1, twice (a=0x90000000, n=2) at
delete
tbreak 6
# expect Temporary breakpoint 2
set schedule-multiple off
continue
# expect hit Temporary breakpoint 2, twice
# Warp 1 has the machine's turn.
ventus workitem 40
stepi
ventus workitem 3
stepi
# expect the work-item has ended
info threads
# expect Thread 1 "(32,0,0)" (group (0,0,0) warp 1 lane 0, active)
set schedule-multiple on
continue
# expect sum 12096
# expect exited normally]
