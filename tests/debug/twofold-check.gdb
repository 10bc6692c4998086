# run -g 32 -l 32 -a new:128 -a local:128 --check
# Two mistakes of one instruction: each is a stop when it is found, and both are one when the launch is run again.
continue
# expect twofold.cl:4
continue
# expect SIGABRT
# expect twofold.cl:4
reverse-stepi
reverse-stepi
echo again\n
# expect again
continue
# expect check: uninit:
# expect check: races:
# expect SIGABRT
# expect twofold.cl:4
detach
# expect 2 different
