# run -g 64 -l 64 -a out:1024:/dev/null -a local:256 --config gate.conf
# A barrier that not all work-items reach: who waits where. Turns of one instruction: the interrupt comes between two.
tbreak gate.cl:6
continue
# expect gate.cl:6
# The clock begins when the machine goes on, however long gdb has taken until then.
python import os, signal, threading
python interrupt = lambda event: threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
python gdb.events.cont.connect(interrupt)
continue
# expect received signal SIGINT
python gdb.events.cont.disconnect(interrupt)
info warps
# expect   group (0,0,0) warp 0  ################################ 0x80000070 line 6 at a barrier
# expect * group (0,0,0) warp 1
info barriers
# expect   warp 0 waits behind 0x8
# expect 1 of 2 warps wait, 0 have ended, 1 are on their way
simt
# expect runs        
info lanes
# expect   lane 31 (63,0,0)
warp 0
info lanes
# expect * lane 0  (0,0,0) 0x80000070 line 6 waits at a barrier
ventus workitem 50 0 0
p i
# expect = 50
p out[0] = 1
continue
# expect exited normally
