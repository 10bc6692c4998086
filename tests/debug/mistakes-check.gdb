# run -g 128 -l 64 -a new:512 -a iota:128 -a local:384 --check
# What a check finds is a signal at its instruction, with the check's text; going back and forth meets it again.
info checks
# expect No check has found a mistake
continue
# expect Thread 2 "(32,0,0)" received signal SIGABRT, Aborted.
# expect mistakes.cl:4
p l
# expect = 32
p tile[l]
# expect = 0
python
try:
    gdb.execute("set $pc = 0x80000000")
except gdb.error as error:
    print(error)
end
# expect Could not write register "pc"
x/i $pc
stepi
# expect 5	    sum += tile[l ^ 32];
p tile[l]
# expect = 32
reverse-stepi
# expect 4	    tile[l] = in[g];
reverse-stepi
p tile[l]
# expect = 0
continue
# expect Thread 2 "(32,0,0)" received signal SIGABRT, Aborted.
# expect mistakes.cl:4
info checks
# expect check: races: data race between work-items of a group
# expect   in mistakes, line 4, pc 0x8
# expect   by work-item (32,0,0), (32,0,0) in group (0,0,0)
# expect   at 0x70000880: byte 128 of the 384 bytes of local 'tile' (argument 2)
# expect   not ordered with the load of line 5, pc 0x8
# expect   by work-item (0,0,0), (0,0,0) in group (0,0,0)
continue
# expect "(32,0,0)" received signal SIGABRT, Aborted.
# expect mistakes.cl:5
watch -l out[5]
continue
# expect "(0,0,0)" received signal SIGABRT, Aborted.
# expect mistakes.cl:11
continue
# expect "(5,0,0)" hit Hardware watchpoint 1: -location out[5]
# expect Old value = 0
# expect New value = 105
delete
continue
# expect "(32,0,0)" received signal SIGABRT, Aborted.
continue
# expect "(69,0,0)" received signal SIGABRT, Aborted.
# expect mistakes.cl:7
info checks
# expect check: uninit: result of arithmetic with an uninitialised value stored to memory
# expect check: bounds: load of 4 bytes outside every buffer
# expect   by work-item (69,0,0), (5,0,0) in group (1,0,0)
detach
# expect check: 197 in all, 5 different
