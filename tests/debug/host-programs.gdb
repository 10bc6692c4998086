# host /usr/bin/python3 host.py
# An OpenCL program: breakpoints in programs that are not built yet; two programs, two queues; the sources are found.
break plus
break twice
continue
# expect hit Breakpoint 2, twice (a=0x90000000) at
# expect int i = get_global_id(0);
next
# expect a[i] *= 2;
p a[3]
# expect = 3
info kernels
# expect launch 1: kernel twice, 2 x 1 x 1 groups of 32 work-items (1 warps)
continue
# expect hit Breakpoint 2, twice
# expect int i = get_global_id(0);
delete 2
continue
# expect hit Breakpoint 1, plus (a=0x90000000, n=5) at
# expect int i = get_global_id(0);
info kernels
# expect launch 2: kernel plus
p n = 7
# expect = 7
delete
continue
# expect exited normally
# expect sum 4480
