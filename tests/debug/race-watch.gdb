# run -g 128 -l 64 -a iota:128 -a out:8:/dev/null -a local:256
# A race's victim by watchpoints on local memory: the work-items that write and read a word are named.
break race.cl:6
continue
# expect Thread 2 "(0,0,0)" hit Breakpoint 1
delete
p part[33]
# expect = 33
ventus workitem 1 0 0
awatch -l part[33]
# expect Hardware access (read/write) watchpoint 2: -location part[33]
continue
# expect Thread 3 "(1,0,0)" hit Hardware access (read/write) watchpoint 2: -location part[33]
# expect Value = 33
# expect race.cl:8
delete
watch -l part[0]
# expect Hardware watchpoint 3: -location part[0]
continue
# expect Thread 2 "(0,0,0)" hit Hardware watchpoint 3: -location part[0]
# expect Old value = 0
# expect New value = 32
continue
# expect Old value = 32
# expect New value = 96
delete
rwatch -l sum[0]
watch -l sum[1]
# expect Hardware watchpoint 5: -location sum[1]
continue
# expect Thread 66 "(64,0,0)" hit Hardware watchpoint 5: -location sum[1]
# expect Old value = 0
delete
continue
# expect exited normally
