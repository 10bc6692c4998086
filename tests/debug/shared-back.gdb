# host env VENTUS_SVM=1 /usr/bin/python3 shared.py
# Memory that is shared with the host is put back, too: what the host has written there, and the device not.
break shared
continue
# expect hit Breakpoint 1
delete
break 6 if $gid(0) == 63
continue
# expect hit Breakpoint 2
set $a = a
print $a[63 * 1024]
# expect = 64513
reverse-continue
# expect No more reverse-execution history.
print $a[63 * 1024]
# expect = 64512
print $a[3]
# expect = 3
delete
continue
# expect sum 2064448
