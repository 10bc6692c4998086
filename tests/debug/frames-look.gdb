# run -g 64 -l 64 -a buf:512 -a i:7
# Callers' frames, inlined ones, structures with padding between their members; going to a frame and out of it.
break called
continue
# expect called (p=..., n=7) at frames.cl:9
ventus workitem 5 0 0
backtrace
# expect #0  called (p=..., n=7) at frames.cl:9
# expect in frames (out=0x90000000, n=7) at frames.cl:23
tbreak 10
continue
ventus workitem 5 0 0
p p
# expect third = 105}
up
p own.large
# expect = 50
p i
# expect = 5
p n
# expect = 7
delete
break inlined
continue
backtrace
# expect #0  inlined (v=
# expect #1  frames (out=0x90000000, n=7) at frames.cl:25
up
ventus workitem 5 0 0
up
p own
# expect = {small = 5 '\005', large = 50, third = 105}
delete
continue
# expect exited normally
