# run -g 64 -l 64 -a iota:64 -a out:512:/dev/null
# Copies in flight: a warp has begun one, then waits for the other warp at the barrier of copies, and then has it.
break copies.cl:8
continue
# expect hit Breakpoint 1
info warps
# expect line 8 ready, 128 bytes of copies in flight
print tile[5]
# expect = -1
delete
break copies.cl:12
continue
# expect "(32,0,0)" hit Breakpoint 2
info warps
# expect   group (0,0,0) warp 0  ################################ 0x800000a8 line 10 waits for copies, 128 bytes of copies in flight
info groups
# expect 1 run 1 wait for copies
warp 0
info lanes
# expect * lane 0  (0,0,0) 0x800000a8 line 10 waits for copies
print tile[5]
# expect = -1
info threads
# expect "(0,0,0)" (group (0,0,0) warp 0 lane 0, waits for copies)
delete
break copies.cl:10
continue
# expect hit Breakpoint 3
info warps
# expect line 10 ready
# never 10 ready, 128 bytes
print tile[5]
# expect = 5
delete
continue
# expect exited normally
