# run -g 128 -l 64 -a iota:128 -a out:8:/dev/null -a local:256
# Who wrote this word? Backwards to a watchpoint, again and again, and forwards to the same end.
break race.cl:11
continue
# expect "(0,0,0)" hit Breakpoint 1
p part[0]
# expect = 2016
delete
watch -l part[0]
reverse-continue
# expect "(0,0,0)" hit Hardware watchpoint 2: -location part[0]
# expect Old value = 2016
# expect New value = 992
# expect race.cl:8
reverse-continue
# expect Old value = 992
# expect New value = 480
continue
# expect Old value = 480
# expect New value = 992
delete
stepi
reverse-stepi
reverse-stepi
tbreak race.cl:11
continue
p part[0]
# expect = 2016
continue
# expect exited normally
