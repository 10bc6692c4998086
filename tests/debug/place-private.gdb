# run -g 64 -a out:256:/dev/null -a i:3
# Private memory: each work-item has its own at the same addresses; a watchpoint is on that of the selected one.
break place
continue
# expect hit Breakpoint 1
delete
break place.cl:7
continue
delete
ventus workitem 5 0 0
watch -l own[0]
continue
# expect "(5,0,0)" hit Hardware watchpoint
# expect Old value = 0
# expect New value = 50
p own[0]
# expect = 50
x/1dw &own[0]
# expect 50
ventus workitem 6 0 0
p own[0]
# expect = 60
p own[1] = 99
ventus workitem 5 0 0
p own[1]
# expect = 0
ventus workitem 6 0 0
p own[1]
# expect = 99
delete
continue
# expect exited normally
