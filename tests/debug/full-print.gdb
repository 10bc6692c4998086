# both ./full
# The machine stands still while the host empties a full print buffer, and no longer when it goes on: the pc can be set then.
tbreak full
run
# expect hit Temporary breakpoint 1, full (a=
tbreak 5
continue
# expect hit Temporary breakpoint 2, full
set var $pc = $pc + 4
set var $pc = $pc - 4
next
continue
# expect value 200000
# expect exited normally]
# never Could not write register
