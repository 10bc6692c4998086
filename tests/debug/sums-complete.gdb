# run -g 64 -l 64 -a iota:128 -a out:256:/dev/null -a i:5
# Words of our own commands and of their arguments are completed: those that there are now.
complete info la
# expect info lanes
complete warp 
complete ventus 
# expect ventus attach
# expect ventus instruction
# expect ventus threads
# expect ventus workitem
complete ventus threads 
# expect ventus threads all
# expect ventus threads group
# expect ventus threads one
# expect ventus threads warp
complete ventus threads g
# expect ventus threads group
complete print-l
# expect print-lanes
break sums.cl:5
continue
# expect sums.cl:5
complete ventus workitem 6
# expect ventus workitem 6
# expect ventus workitem 60
# expect ventus workitem 63
complete ventus workitem 63 
# expect ventus workitem 63 0
complete warp 
# expect warp 0
# expect warp 1
complete lane 3
# expect lane 3
# expect lane 30
# expect lane 31
complete print-lanes su
# expect print-lanes sum
complete print-lanes i + s
# expect print-lanes i + sum
# never warp is
# never lane 32
# never lane 4
# never workitem 64
# never workitem 63 63
# never warp 2
