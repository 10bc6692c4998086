# run -g 32 -a buf:4 -a out:128:/dev/null
# Ctrl-C in an endless loop stops where it is; changing memory ends it; detaching and coming back.
tbreak endless.cl:4
continue
# expect endless.cl:4
# The clock begins when the machine goes on, however long gdb has taken until then.
python import os, signal, threading
python interrupt = lambda event: threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
python gdb.events.cont.connect(interrupt)
continue
# expect received signal SIGINT, Interrupt.
# expect endless.cl:4
python gdb.events.cont.disconnect(interrupt)
p *flag
# expect = 0
info warps
# expect ################################ 0x8
stepi
stepi
detach
# expect detached
ventus attach socket
# expect endless.cl:4
p flag[0] = 1
# expect = 1
delete
continue
# expect exited normally
