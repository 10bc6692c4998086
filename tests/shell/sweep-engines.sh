# Sweeps on engines that others have written, each on this machine: an array of jobs of a Slurm of our own, and Open MPI.
# Both give the results of one process, and run no point twice. Skipped where one of them is missing.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
PATH=$PATH:/usr/sbin
mkdir one
"$ventus" as "$VENTUS_SOURCE/tests/timing/scale.s" -o one/scale.elf || wrong 'ventus as'
cat >one/s.sweep <<'END_OF_SWEEP'
run small = scale.elf -g 512 -l 64 -a iota:512 -a i:3
run large = scale.elf -g 2048 -l 64 -a iota:2048 -a i:5
vary timing = chisel large
vary sms = 1 2 4
END_OF_SWEEP
for engine in slurm mpi; do cp -r one $engine; done
check 0 '12 points, 0 without' "$ventus" sweep one/s.sweep

there() { # PROGRAM...
    for program in "$@"; do
        command -v "$program" >/dev/null || { echo "SKIPPED: no $program"; skipped=77; return 1; }
    done
}

compare() { # ENGINE
    cmp one/s.sweep.out/results.csv $1/s.sweep.out/results.csv || wrong "$1: other results"
    [ "$(sort -u $1/s.sweep.out/log | wc -l)" = 12 ] && [ "$(wc -l <$1/s.sweep.out/log)" = 12 ] || wrong "$1: not every point once"
    [ -s $1/s.sweep.out/pareto.svg ] || wrong "$1: no picture"
}

# Until the command has succeeded, or 20 seconds have passed.
await() { # COMMAND...
    for _ in $(seq 200); do
        "$@" && return
        sleep 0.1
    done
    return 1
}

# A controller and a node as this user, without authentication, on ports that depend on the process.
start_slurm() {
    mkdir state spool
    port=$((20000 + $$ % 20000 * 2))
    cat >slurm.conf <<END_OF_CONFIGURATION
ClusterName=sweep
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/none
CredType=cred/none
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/controller.pid
SlurmdPidFile=$dir/node.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
MpiDefault=none
NodeName=node NodeHostname=$(hostname) NodeAddr=127.0.0.1 CPUs=1
PartitionName=all Nodes=node Default=YES OverSubscribe=FORCE:3
END_OF_CONFIGURATION
    export SLURM_CONF=$dir/slurm.conf
    slurmctld -D -i >controller.txt 2>&1 &
    daemons=$!
    slurmd -D -N node >node.txt 2>&1 &
    daemons="$daemons $!"
}
stop_slurm() {
    kill $daemons 2>/dev/null
    wait $daemons 2>/dev/null
}
node_is_idle() { sinfo -h -o %T 2>/dev/null | grep -q idle; }
is_over() { [ -z "$(squeue -h 2>&1)" ]; }

skipped=0 daemons=
if there slurmctld slurmd sbatch; then
    trap 'stop_slurm; rm -rf "$dir"' EXIT
    start_slurm
    await node_is_idle || { wrong 'Slurm does not start'; cat controller.txt node.txt; }
    sbatch --array=4-6 -o part%a.txt --wrap "'$ventus' sweep slurm/s.sweep --part auto -j 1" >batch.txt 2>&1 || { wrong sbatch; cat batch.txt; }
    await is_over || wrong 'the jobs do not end'
    cat part*.txt | grep -q 'results.csv: 12 points, 0 without a result' || { wrong 'no part has written results'; cat part*.txt; }
    compare slurm
    stop_slurm
fi
if there mpirun; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 3 "$ventus" sweep mpi/s.sweep --part auto -j 1 >mpi.txt 2>&1 || { wrong mpirun; cat mpi.txt; }
    compare mpi
fi
[ $status = 0 ] && exit $skipped
exit $status
