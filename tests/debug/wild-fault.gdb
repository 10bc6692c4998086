# run -g 64 -a iota:64 -a out:1024:/dev/null -a i:4
# A fault is a signal at its line, with the machine's text; everything can be looked at; the launch then fails.
continue
# expect write to unmapped or read-only memory
# expect "(3,0,0)" received signal SIGSEGV, Segmentation fault.
# expect wild.cl:7
p i
# expect = 3
p to
# expect = 134217737
print-lanes i % 5 == 3
# expect 0 0 0 1 0 0 0 0 1
continue
# expect exited
# expect kernel wild failed at line 7
