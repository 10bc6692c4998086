# host /usr/bin/python3 again.py
# From the second launch on the numbers of threads have more than 32 bits, of which gdb sends the low ones.
break again
continue
# expect hit Breakpoint 1
watch -l a[5]
delete 1
continue
# expect "(5,0,0)" hit Hardware watchpoint 2: -location a[5]
# expect Old value = 0
# expect New value = 1
# What the host writes to a watched word is shown at the beginning of the next launch: else a kernel that gives it the
# value which the debugger knows would be passed over.
continue
# expect "(0,0,0)" hit Hardware watchpoint 2: -location a[5]
# expect Old value = 1
# expect New value = 0
continue
# expect "(5,0,0)" hit Hardware watchpoint 2: -location a[5]
# expect Old value = 0
# expect New value = 1
print $gid(0)
# expect = 5
print i
# expect = 5
thread 43
print $gid(0)
# expect = 9
print i
# expect = 9
next
# expect a[i + 65] = i;
print i
# expect = 9
print a[9 + 64]
# expect = 9
delete
continue
# expect end
