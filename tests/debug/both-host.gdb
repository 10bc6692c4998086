# both ./both
# The host program and the device in one session: two inferiors.
break both.c:33
# expect Breakpoint 1 at
break twice if $gid(0) == 40
# expect Breakpoint 2 (twice if $gid(0) == 40) pending
run
# expect hit Breakpoint 1, main (argc=1, argv=
# expect clEnqueueNDRangeKernel
info inferiors
# expect (native)
# expect Remote target
print n
# expect $1 = 2
# The program goes on alone: the device, which has the launch by then, stands still.
set schedule-multiple off
next
# expect clFinish(queue);
thread 2.1
# expect [Switching to thread 2.1 (Thread 1)]
thread 1.1
# expect main (argc=1, argv=
# Both go on. The condition is tried for each work-item.
set schedule-multiple on
continue
# expect Thread 2.1 "(40,0,0)" hit Breakpoint 2, twice (a=0x90000000, n=2) at
# expect int i = get_global_id(0);
info threads
# expect * 2.1  Thread 1 "(40,0,0)" (group (1,0,0) warp 0 lane 8, active) twice (a=0x90000000, n=2)
next
# expect int b = a[i];
next
# expect a[i] = b * n;
print b
# expect $2 = 40
print-lanes b - 32
# expect 0 1 2 3 4 5 6 7 8 9 10 11
ventus workitem 35
# expect a[i] = b * n;
print b
# expect $3 = 35
print b = 1000
# expect $4 = 1000
lane 8
# expect a[i] = b * n;
print b
# expect $5 = 40
print $gid(0)
# expect $6 = 40
# The program's variables, while the device stands.
thread 1.1
python
frame = gdb.newest_frame()
while frame.name() != "main": frame = frame.older()
frame.select()
end
print values[5]
# expect $7 = 5
# The device goes on alone: the program stands where it is.
set schedule-multiple off
inferior 2
tbreak 6
# expect Temporary breakpoint 3
continue
# expect hit Temporary breakpoint 3, twice
print a[40]
# expect $8 = 80
watch -l a[33]
# expect Hardware watchpoint 4
# The second launch, with the program's breakpoint in front of it.
set schedule-multiple on
delete 2
continue
# expect Thread 1.1 "both" hit Breakpoint 1, main (argc=1, argv=
print n
# expect $9 = 3
continue
# expect Thread 2.1 "(33,0,0)" hit Hardware watchpoint 4: -location a[33]
# expect Old value = 66
# expect New value = 198
delete
tbreak both.c:38
continue
# expect hit Temporary breakpoint
# expect printf("sum
print values[35]
# expect = 6000
print values[63]
# expect = 378
continue
# expect sum 17886
# expect exited normally]
# Again from its beginning, on the same machine.
tbreak twice
run
# expect hit Temporary breakpoint
# expect int i = get_global_id(0);
kill inferiors 2
inferior 1
# In front of its end: gdb 13 has an error when a process ends before all its threads go on.
catch syscall exit_group
continue
# expect stopped by the debugger
# expect (call to syscall exit_group)
