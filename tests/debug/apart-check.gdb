# run -g 64 -l 64 -a buf:256 -a local:256 --check=barriers
# A mistake that is only known when a barrier has been passed: the work-items stand behind it.
continue
# expect check: barriers: work-items of a group wait at different barriers
# expect   in apart, line 6, pc 0x8
# expect   others are at the barrier of line 9, pc 0x8
# expect Thread 2 "(0,0,0)" received signal SIGABRT, Aborted.
# expect apart.cl:11
info warps
# expect * group (0,0,0) warp 0  ################################ 0x8
# expect   group (0,0,0) warp 1  ################################ 0x8
reverse-stepi
# expect 6	        barrier(CLK_LOCAL_MEM_FENCE);
continue
# expect "(0,0,0)" received signal SIGABRT, Aborted.
continue
# expect exited
