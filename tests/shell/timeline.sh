# ventus exec --timeline: what was queued, ran and waited when, as trace events. The file's structure (each arrow has both ends
# and goes forward, slices of a row lie within or behind one another), and what a program with several queues, an
# out-of-order one, a user event, callbacks, a failed build, ranges and a kernel that fails finds in it, by the clock of the
# host and of a cycle model.
set -u
. "$VENTUS_SOURCE/tests/shell/common"
unset VENTUS_TIMELINE VENTUS_PROFILE VENTUS_CHECK VENTUS_CONFIG
unset VENTUS_CACHE VENTUS_CC_DUMP
export VENTUS_CACHE_DIR=$PWD/cache

cat >client.c <<'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cl_ventus.h"

static const char *const source = "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }\n"
                                  "kernel void beyond(global int *a)\n"
                                  "{\n"
                                  "    a[get_global_id(0) + 100000000] = 1;\n"
                                  "}\n";
static atomic_int called;
static cl_context context;
static cl_int (*begin_range)(cl_context, const char *), (*end_range)(cl_context);

static void CL_CALLBACK ended(cl_event event, cl_int status, void *user)
{
    (void)event, (void)status, (void)user;
    if (end_range(context) != CL_INVALID_OPERATION) exit(20);
    begin_range(context, "in the callback"); /* and left open */
    called = 1;
}

/* Within slices of the library's own, and with a range around them that is not theirs to end. */
static void inside(const char *name)
{
    if (end_range(context) != CL_INVALID_OPERATION) exit(26);
    begin_range(context, "ended");
    if (end_range(context)) exit(27);
    begin_range(context, name); /* and left open */
}

static void CL_CALLBACK native(void *user)
{
    (void)user;
    inside("in the native kernel");
}

static void CL_CALLBACK destroyed(cl_mem mem, void *user)
{
    (void)mem, (void)user;
    inside("in the destructor");
}

static void must(cl_int error, int line)
{
    if (!error) return;
    printf("line %d: error %d\n", line, error);
    exit(30);
}
#define MUST(call) must(call, __LINE__)

static cl_command_queue queue_of(cl_device_id device, cl_command_queue_properties properties)
{
    return clCreateCommandQueue(context, device, properties, NULL);
}

static void *keep_busy(void *queue)
{
    for (;;) clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL), clFinish(queue);
}

static void use_device(cl_device_id device)
{
    const size_t n = 32;
    cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(own, 1, &text, NULL, NULL);
    MUST(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel twice = clCreateKernel(program, "twice", NULL);
    cl_mem a = clCreateBuffer(own, CL_MEM_READ_WRITE, 128, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(own, device, 0, NULL);
    MUST(clSetKernelArg(twice, 0, sizeof a, &a));
    MUST(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &n, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
}

/* Children that use the device themselves, begun while another thread has the queue's lock now and then. */
static int fork_at_work(cl_command_queue queue, cl_device_id device)
{
    pthread_t thread;
    int status;
    if (pthread_create(&thread, NULL, keep_busy, queue)) return 1;
    for (int i = 0; i < 20; i++) {
        const pid_t child = fork();
        if (!child) {
            alarm(20);
            use_device(device);
            exit(0);
        }
        if (waitpid(child, &status, 0) != child || status) return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const size_t n = 256;
    int words[256] = {1};
    cl_platform_id platform;
    cl_device_id device;
    cl_event first, gate, copied, last;
    MUST(clGetPlatformIDs(1, &platform, NULL));
    MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    begin_range = clGetExtensionFunctionAddressForPlatform(platform, "clBeginRangeVENTUS");
    end_range = clGetExtensionFunctionAddressForPlatform(platform, "clEndRangeVENTUS");
    if (!begin_range || !end_range) return 21;
    if (begin_range(NULL, "x") != CL_INVALID_CONTEXT || begin_range(context, NULL) != CL_INVALID_VALUE) return 22;
    if (end_range(context) != CL_INVALID_OPERATION || end_range(NULL) != CL_INVALID_CONTEXT) return 23;

    const char *wrong = "kernel void k() { missing(); }";
    cl_program bad = clCreateProgramWithSource(context, 1, &wrong, NULL, NULL);
    if (clBuildProgram(bad, 0, NULL, "", NULL, NULL) != CL_BUILD_PROGRAM_FAILURE) return 24;
    MUST(begin_range(context, "set \"up\"\n\xff"));
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    MUST(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    MUST(begin_range(context, "objects"));
    cl_command_queue in_order = queue_of(device, 0), any_order = queue_of(device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel twice = clCreateKernel(program, "twice", NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof words, NULL, NULL);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof words, NULL, NULL);
    MUST(end_range(context));
    MUST(end_range(context));

    gate = clCreateUserEvent(context, NULL);
    cl_event other = clCreateUserEvent(context, NULL);
    MUST(clEnqueueWriteBuffer(in_order, a, CL_FALSE, 0, sizeof words, words, 0, NULL, NULL));
    MUST(clSetKernelArg(twice, 0, sizeof a, &a));
    MUST(clEnqueueNDRangeKernel(in_order, twice, 1, NULL, &n, NULL, 1, &gate, &first));
    MUST(clSetEventCallback(first, CL_COMPLETE, ended, NULL));
    MUST(clEnqueueCopyBuffer(any_order, a, b, 0, 0, sizeof words, 1, &first, &copied));
    MUST(clEnqueueFillBuffer(any_order, b, words, 4, 64, 64, 1, &copied, NULL));
    MUST(clEnqueueBarrierWithWaitList(any_order, 0, NULL, NULL));
    MUST(clSetKernelArg(twice, 0, sizeof b, &b));
    MUST(clEnqueueNDRangeKernel(any_order, twice, 1, NULL, &n, NULL, 0, NULL, &last));
    MUST(clEnqueueNDRangeKernel(in_order, twice, 1, NULL, &n, NULL, 1, &last, NULL));
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clSetUserEventStatus(other, CL_COMPLETE));
    MUST(clWaitForEvents(1, &last));
    MUST(clEnqueueReadBuffer(in_order, b, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
    MUST(clFinish(any_order));
    while (!called) usleep(1000);
    if (words[0] != 8) return 25;

    cl_mem gone = clCreateBuffer(context, CL_MEM_READ_WRITE, 4, NULL, NULL);
    MUST(clSetMemObjectDestructorCallback(gone, destroyed, NULL));
    MUST(begin_range(context, "around"));
    MUST(clEnqueueNativeKernel(in_order, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    MUST(clFinish(in_order));
    MUST(clReleaseMemObject(gone));
    MUST(end_range(context));
    if (end_range(context) != CL_INVALID_OPERATION) return 28;
    if (argc > 1 && !strcmp(argv[1], "fail")) {
        cl_kernel beyond = clCreateKernel(program, "beyond", NULL);
        MUST(clSetKernelArg(beyond, 0, sizeof b, &b));
        MUST(clEnqueueNDRangeKernel(in_order, beyond, 1, NULL, &n, NULL, 0, NULL, NULL));
        clFinish(in_order);
    }
    if (argc > 1 && !strcmp(argv[1], "wait")) {
        gate = clCreateUserEvent(context, NULL);
        MUST(begin_range(context, "never ended"));
        MUST(clEnqueueNDRangeKernel(in_order, twice, 1, NULL, &n, NULL, 1, &gate, NULL));
        MUST(clFlush(in_order));
    }
    if (argc > 1 && !strcmp(argv[1], "fork") && !fork()) return 0;
    if (argc > 1 && !strcmp(argv[1], "fork-at-work") && fork_at_work(in_order, device)) return 26;
    if (argc > 1 && !strcmp(argv[1], "contexts")) {
        usleep(20000);
        use_device(device);
        MUST(clEnqueueWriteBuffer(in_order, a, CL_FALSE, 0, sizeof words, words, 0, NULL, NULL));
        MUST(clFinish(in_order));
    }
    if (argc > 1 && !strcmp(argv[1], "linger")) while (access(argv[2], F_OK)) usleep(1000);
    if (argc > 1 && !strcmp(argv[1], "clear")) clearenv();
    if (argc > 1 && !strcmp(argv[1], "limit")) setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
    puts("done");
    return 0;
}
C
${CC:-cc} -w -I"$VENTUS_SOURCE/opencl" client.c -o client -pthread -lOpenCL || { echo "no OpenCL headers: nothing has been tested"; exit 77; }

cat >structure.py <<'P'
"""What holds for every file: structure.py FILE; as a module, the file's events."""
import bisect, collections, itertools, json, sys

def load(path):
    with open(path, encoding="utf-8") as file: return json.load(file)["traceEvents"]

def names(events, what):
    return {(e["pid"], e.get("tid", 0)) if what == "thread_name" else e["pid"]: e["args"]["name"]
            for e in events if e["ph"] == "M" and e["name"] == what}

def slices(events):
    """Finished slices in the order of their begins, each with name, begin, end, args, row."""
    found, open_ = [], collections.defaultdict(list)
    for e in events:
        row = (e["pid"], e.get("tid"))
        if e["ph"] == "X":
            found.append(dict(name=e["name"], begin=e["ts"], end=e["ts"] + e["dur"], args=e.get("args", {}), row=row))
        elif e["ph"] == "B":
            open_[row].append(dict(name=e["name"], begin=e["ts"], row=row, depth=len(open_[row])))
        elif e["ph"] == "E":
            assert open_[row][-1]["name"] == e["name"], e
            found.append(dict(open_[row].pop(), end=e["ts"], args=e.get("args", {})))
    assert not any(open_.values()), "slices without an end"
    return sorted(found, key=lambda s: s["begin"])

def check(events):
    threads, processes = names(events, "thread_name"), names(events, "process_name")
    last, arrows, waits = {}, {}, {}
    for e in events:
        if e["ph"] == "M": continue
        row = (e["pid"], e["tid"])
        assert row in threads and e["pid"] in processes, e
        assert e["ts"] >= 0 and e.get("dur", 0) >= 0, e
        if e["ph"] in "BE":
            assert e["ts"] >= last.get(row, 0), e
            last[row] = e["ts"]
        elif e["ph"] in "sf":
            assert e["ph"] not in arrows.setdefault(e["id"], {}), e
            arrows[e["id"]][e["ph"]] = e
        elif e["ph"] in "be":
            waits.setdefault(e["id"], {})[e["ph"]] = e
        else: assert e["ph"] == "X", e
    rows = collections.defaultdict(list)
    for s in slices(events): rows[s["row"]].append(s)
    for row, inside in rows.items():
        if row[0] == 1: continue  # threads: begins and ends are paired
        for a, b in zip(inside, inside[1:]): assert a["end"] <= b["begin"] + 0.0005, (a, b)
    # Each end of an arrow is in a slice: the latest end of those that have begun is behind it.
    begins = {row: [s["begin"] for s in inside] for row, inside in rows.items()}
    ends = {row: list(itertools.accumulate((s["end"] for s in inside), max)) for row, inside in rows.items()}
    for a in arrows.values():
        assert set(a) == {"s", "f"}, a
        assert a["s"]["ts"] <= a["f"]["ts"], a
        for e in a.values():
            begun = bisect.bisect_right(begins[(e["pid"], e["tid"])], e["ts"])
            assert begun and e["ts"] <= ends[(e["pid"], e["tid"])][begun - 1] + 0.0005, e
    for w in waits.values():
        assert set(w) == {"b", "e"} and w["b"]["ts"] <= w["e"]["ts"], w
    return rows, threads, arrows

if __name__ == "__main__":
    check(load(sys.argv[1]))
P
cat >contents.py <<'P'
import sys
from structure import *
events = load(sys.argv[1])
rows, threads, arrows = check(events)
found = slices(events)

def all_of(name): return [s for s in found if s["name"] == name]
def row_of(s): return threads[s["row"]]
def arrow(a, b):
    """From slice a to slice b."""
    return any(x["s"]["ts"] == a["begin"] and (x["s"]["pid"], x["s"]["tid"]) == a["row"] and
               x["f"]["ts"] == b["begin"] and (x["f"]["pid"], x["f"]["tid"]) == b["row"] for x in arrows.values())

bad, good = all_of("build")
assert bad["args"]["result"] == "failed" and "missing" in bad["args"]["log"]
assert good["args"]["result"] == "built" and good["args"]["kept"] == sys.argv[2] and good["args"]["program_bytes"] > 1000
setup, objects = all_of('set "up"\n\ufffd')[0], all_of("objects")[0]
assert setup["depth"] == 0 and good["depth"] == objects["depth"] == 1
assert setup["begin"] <= good["begin"] <= good["end"] <= objects["begin"] <= objects["end"] <= setup["end"]
write, = all_of("write buffer")
one, two, three = all_of("twice")[:3]
copy, = all_of("copy buffer")
fill, = all_of("fill buffer")
barrier, = all_of("barrier")
read, = all_of("read buffer")
gate, other = all_of("user event")
assert row_of(gate) == "user events" and row_of(write) == row_of(one) == row_of(read) == "queue 1"
assert row_of(other) == "user events" and (other["row"] != gate["row"] or sys.argv[3] == "model")  # they overlap
assert row_of(copy) == row_of(barrier) == row_of(two) == "queue 2, out of order"
assert write["args"]["bytes"] == 1024 and copy["args"]["bytes"] == 1024 and fill["args"]["bytes"] == 64
assert one["args"]["global_size"] == "256 x 1 x 1" and one["args"]["instructions"] > 8 and one["args"]["from_submitted_ns"] >= 0
for a, b in ((gate, one), (one, copy), (copy, fill), (fill, barrier), (barrier, two), (two, three)):
    assert arrow(a, b), (a, b)
    assert a["end"] <= b["begin"] + 0.0005
assert sys.argv[3] == "model" or not arrow(write, copy)
for s in (write, one, copy, fill, barrier, two, three, read):  # from the call that has queued it
    queued = [x["s"] for x in arrows.values() if x["f"]["ts"] == s["begin"] and (x["f"]["pid"], x["f"]["tid"]) == s["row"] and x["s"]["pid"] == 1]
    assert queued, s
assert len([s for s in found if s["name"].startswith("enqueue ")]) >= 8 and all_of("finish") and all_of("wait for events")
callback, inner = all_of("callback")[0], all_of("in the callback")[0]
assert row_of(callback) == "callbacks" and callback["args"]["of"] == "kernel" and inner["depth"] == 1
around, = all_of("around")
finish = all_of("finish")[-1]
native, destructor = all_of("in the native kernel")[0], all_of("in the destructor")[0]
assert around["begin"] <= finish["begin"] <= finish["end"] <= destructor["begin"] <= destructor["end"] <= around["end"]
assert around["depth"] == 0 and finish["depth"] == destructor["depth"] == 1 and finish["args"]["queue"] == 1
assert native["row"] != around["row"] or native["depth"] == 2 and finish["begin"] <= native["begin"] <= native["end"] <= finish["end"]
waits = [e for e in events if e["ph"] == "b" and e["name"] == "twice"]
assert waits
groups = [s for s in found if s["name"].startswith("group (")]
if sys.argv[3] == "model":
    assert len(groups) >= 3 and all(row_of(g).startswith("SM ") and g["args"]["kernel"] == "twice" for g in groups)
    for g in groups: assert any(k["begin"] <= g["begin"] < g["end"] <= k["end"] + 0.0005 for k in (one, two, three)), g
    assert one["args"]["cycles"] > 100 and write["begin"] == write["end"]
else:
    assert not groups and write["begin"] < write["end"]
P

exec="$ventus exec"
check 0 '^done$' $exec --timeline host.json ./client
python3 contents.py host.json no host || wrong "the timeline by the host's clock"
check 0 '^done$' $exec --timeline again.json ./client
python3 contents.py again.json yes host || wrong "a build that is kept"
check 0 '^done$' $exec --timeline model.json --timing large ./client
python3 contents.py model.json yes model || wrong "the timeline by a model's clock"

check 0 '^done$' $exec --timeline failed.json ./client fail
python3 - <<'P' || wrong "a kernel that fails"
from structure import *
events = load("failed.json")
check(events)
s, = [s for s in slices(events) if s["name"] == "beyond"]
a = s["args"]
assert a["fault_line"] == 4 and a["fault_pc"].startswith("0x80000") and a["fault_lanes"] == "0xffffffff" and a["fault_warp"] >= 0, a
assert a["status"] == "the kernel failed" and "line 4" in a["message"], a
P
check 0 '^done$' $exec --timeline waits.json ./client wait
python3 - <<'P' || wrong "what has not ended"
from structure import *
events = load("waits.json")
check(events)
found = slices(events)
assert [s["args"].get("status") for s in found if s["name"] == "twice"][-1] == "still waiting"
assert [s["args"].get("status") for s in found if s["name"] == "user event"][-1] == "still running"
assert [s for s in found if s["name"] == "never ended"]
P
check 0 '^done$' $exec --timeline forked.json ./client fork
python3 structure.py forked.json || wrong "a child of fork() has written, too"
check 0 '^done$' $exec --timeline forked.json --profile=forked-profile.json ./client fork-at-work
python3 structure.py forked.json || wrong "a child of fork() at work has written, too"
# Each context has its model, and a clock of its own: the thread's row goes by the later one, and no arrow leads back.
check 0 '^done$' $exec --timeline contexts.json --timing large ./client contexts
python3 structure.py contexts.json || wrong "two contexts with models"

# Of two processes at the same time each has a file; the second ends first.
check 0 '^done$' $exec --timeline pair.json sh -c './client linger over &
while [ ! -s pair.json ] && kill -0 $!; do sleep 0.01; done; ./client; touch over; wait'
set -- pair.json.*
[ $# = 1 ] && python3 contents.py "$1" yes host && python3 contents.py pair.json yes host || wrong "two processes, one file"
rm -f pair.json.*
# A lock of the file does not outlive the process by its children, and what was there before is gone.
check 0 '^done$' $exec --timeline pair.json ./client
python3 structure.py pair.json && [ ! -e pair.json.* ] || wrong "a file that another process has written"

# Without the option nothing is written; a file that cannot be is one line, and the program goes on.
mkdir empty
check 0 '^done$' env -C empty "$ventus" exec ../client
[ -z "$(ls -A empty)" ] || wrong "files that nobody has asked for"
mkfifo pipe
check 0 'VENTUS_TIMELINE: cannot write .*pipe: No such device' $exec --timeline pipe ./client
check 0 'VENTUS_TIMELINE: cannot write .*/none/t.json: No such file' $exec --timeline none/t.json ./client
[ ! -e /dev/full ] || check 0 'VENTUS_TIMELINE: cannot write /dev/full: No space left' $exec --timeline /dev/full ./client
[ ! -e /dev/full ] || check 0 'cannot write /dev/full' $exec --timeline /dev/full ./client clear
check 0 'VENTUS_TIMELINE: cannot write .*/limited.json: File too large' $exec --timeline limited.json ./client limit
check 0 '' env VENTUS_TIMELINE=v.json "$ventus" exec "$VENTUS_BUILD/examples/matmul" --size 24
python3 structure.py v.json || wrong "VENTUS_TIMELINE"
for size in 64 2000; do
    check 0 '' $exec --timeline big.json "$VENTUS_BUILD/examples/histogram" --size $size
    python3 structure.py big.json || wrong "histogram --size $size"
done
exit $status
