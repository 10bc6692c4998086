# run -g 32 -a buf:4 -a out:128:/dev/null
# Ctrl-C in an endless loop stops where it is; changing memory ends it; detaching and coming back.
shell (sleep 0.5; kill -INT $PPID) &
continue
# expect received signal SIGINT, Interrupt.
# expect endless.cl:4
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
