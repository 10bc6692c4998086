# run -g 64 -l 64 -a iota:64 -a out:256:/dev/null -a local:256
# Going back: from a fault to the line and the work-item that wrote the bad index; then by instructions and lines.
continue
# expect received signal SIGSEGV
# expect table.cl:9
p place[$lid(0)]
# expect = 66060288
watch -l place[1]
# expect Hardware watchpoint 1: -location place[1]
reverse-continue
# expect "(63,0,0)" hit Hardware watchpoint 1: -location place[1]
# expect Old value = 66060288
# expect New value = 62
# expect table.cl:7
p in[$gid(0)]
# expect = 63
reverse-continue
# expect "(1,0,0)" hit Hardware watchpoint 1: -location place[1]
# expect Old value = 62
# expect New value = 0
# expect table.cl:4
delete
stepi
stepi
reverse-stepi
reverse-stepi
x/i $pc
# expect => 0x8
tbreak table.cl:7
continue
# expect Temporary breakpoint
# expect table.cl:7
reverse-next
# expect table.cl
tbreak table if $gid(0) == 40
reverse-continue
# expect "(40,0,0)" hit Temporary breakpoint
reverse-continue
# expect No more reverse-execution history.
continue
# expect received signal SIGSEGV
continue
# expect exited
# expect kernel table failed at line 9
