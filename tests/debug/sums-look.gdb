# run -g 64 -a iota:128 -a out:256:/dev/null -a i:5
# A breakpoint by line with a condition on one work-item; looking at and changing what it has; the GPU's own words.
info threads
# expect Thread 1 "device" (no work-group has begun)
info kernels
# expect launch 1: kernel sums, 1 x 1 x 1 groups of 64 work-items (2 warps), 0 resident
break sums.cl:5 if i == 20
# expect Breakpoint 1 at 0x8
continue
# expect Thread 22 "(20,0,0)" hit Breakpoint 1, sums (a=0x90000000, out=0x90002000, n=5) at sums.cl:5
backtrace
# expect #0  sums (a=0x90000000, out=0x90002000, n=5) at sums.cl:5
info locals
# expect j = 0
# expect i = 20
# expect sum = 0
p a[i]
# expect = 20
p $gid(0)
# expect = 20
info warps
# expect * group (0,0,0) warp 0  ################################ 0x8
# expect   group (0,0,0) warp 1  ################################ 0x80000000 ready
ventus workitem 3 0 0
# expect 5	        if (a[i + j] > 5)
p i
# expect = 3
p i = 30
# expect = 30
print-lanes i
# expect 0 1 2 30 4 5 6 7
lane 3
p i
# expect = 30
warp 1
info barriers
# expect 0 of 2 warps wait, 0 have ended, 2 are on their way
ventus workitem 20 0 0
ventus threads one
info threads
# expect * 22   Thread 22 "(20,0,0)" (group (0,0,0) warp 0 lane 20, active)
ventus threads all
delete
continue
# expect exited normally
# never error
