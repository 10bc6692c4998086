# run -g 64 -l 32 -a buf:512 -a iota:65 --config paged.conf
# Going back with virtual addresses, of which memory lies elsewhere: what the launch has written is as it was, and what
# has been changed by hand.
break paged.cl:7 if $gid(0) == 63
continue
# expect hit Breakpoint 1
set $out = out
set $in = (int *)in
print $out[63]
# expect = 127
print $in[5] = 500
# expect = 500
reverse-continue
# expect No more reverse-execution history.
print $out[63]
# expect = 0
print $in[5]
# expect = 5
print $out[3]
# expect = 0
continue
# expect hit Breakpoint 1
print $out[63]
# expect = 127
print $out[4]
# expect = 9
