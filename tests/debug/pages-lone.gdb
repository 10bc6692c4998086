# run -k lone -g 64 -l 32 -a iota:64
# Pages that the launch has been the first to touch are zeros again, though the host has been asked about them before.
break pages.cl:17 if $gid(0) == 63
continue
# expect hit Breakpoint 1
print mine[63]
# expect = 2
reverse-continue
# expect No more reverse-execution history.
continue
# expect hit Breakpoint 1
print mine[63]
# expect = 2
