# run -g 64 -a iota:64
# What the other sessions leave out: groups, control registers, an instruction and its effect, counts of breakpoints, step into a
# function, a read watchpoint, an illegal instruction.
break steps.cl:12
ignore 1 1
continue
# expect "(3,0,0)" hit Breakpoint 1, steps (a=0x90000000) at steps.cl:12
info groups
# expect * group (0,0,0) number 0 of 1 on SM 0, local memory 0x70000000: 2 run
info csrs
# expect CSR_NUMW   0x00000002 2
ventus instruction
# expect line 12: 
# expect   reads v
# expect   will write v
delete
ventus workitem 1 0 0
step
# expect twice (v=1) at steps.cl:
up
# expect steps (a=0x90000000) at steps.cl:12
delete
rwatch -l a[40]
continue
# expect Hardware read watchpoint 2: -location a[40]
# expect "(40,0,0)" hit Hardware read watchpoint 2: -location a[40]
# expect Value = 40
delete
ventus instruction
# expect line 11: 
# expect = 0x00000028
stepi
set var *(unsigned *)$pc = 0
continue
# expect received signal SIGILL, Illegal instruction.
continue
# expect kernel steps failed at line
