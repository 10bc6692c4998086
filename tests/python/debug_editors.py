"""What editors speak: gdb's machine interface and the Debug Adapter Protocol (lldb-dap), on a kernel."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

os.environ.pop("LD_PRELOAD", None) # no sanitizer for the debugger
VENTUS, SOURCE = os.environ["VENTUS_BUILD"] + "/ventus", os.environ["VENTUS_SOURCE"] + "/tests/debug/sums.cl"
PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}


def machine(folder, name):
    path = "%s/%s" % (folder, name)
    process = subprocess.Popen(
        [VENTUS, "run", folder + "/sums.elf", "-g", "64", "-a", "iota:128", "-a", "buf:256", "-a", "i:5", "--gdb", path],
        stderr=subprocess.DEVNULL)
    while not os.path.exists(path):
        time.sleep(0.01)
    return process, path


def require(what, holds):
    if not holds:
        raise SystemExit("FAILED: " + what)


# ---- gdb's machine interface ----

def mi(folder):
    process, path = machine(folder, "mi")
    gdb = subprocess.Popen(["gdb-multiarch", "-q", "-nx", "-i=mi"], cwd=folder, **PIPES)

    def ask(command, until):
        gdb.stdin.write((command + "\n").encode())
        gdb.stdin.flush()
        said = ""
        for line in gdb.stdout:
            said += line.decode()
            if line.decode().startswith(until):
                return said
        raise SystemExit("FAILED: gdb ended at %s\n%s" % (command, said))

    ask("-gdb-set confirm off", "^done")
    ask("-target-select remote " + path, "^connected")
    ask('-break-insert -f -c "i == 20" sums.cl:5', "^done")
    said = ask("-exec-continue", "*stopped")
    require("stop at the breakpoint: " + said, 'reason="breakpoint-hit"' in said and 'line="5"' in said)
    said = ask("-thread-info", "^done")
    require("threads have names", 'name="(20,0,0)"' in said and said.count("{id=") == 64)
    said = ask("-stack-list-variables --all-values", "^done")
    require("variables: " + said, '{name="i",value="20"}' in said and '{name="n",arg="1",value="5"}' in said)
    ask("-break-delete", "^done")
    ask("-exec-continue", '*stopped,reason="exited-normally"')
    gdb.stdin.write(b"-gdb-exit\n")
    gdb.stdin.close()
    require("gdb ends", gdb.wait(20) == 0)
    require("the kernel ends", process.wait(20) == 0)


# ---- the Debug Adapter Protocol ----

class Adapter:
    def __init__(self, folder):
        self.process = subprocess.Popen(["lldb-dap-19"], cwd=folder, **PIPES)
        self.number = 0
        self.events = []

    def message(self):
        size = 0
        while True:
            line = self.process.stdout.readline().strip()
            if line.startswith(b"Content-Length:"):
                size = int(line.split(b":")[1])
            elif not line and size:
                return json.loads(self.process.stdout.read(size))
            elif not line and self.process.poll() is not None:
                raise SystemExit("FAILED: lldb-dap ended")

    def send(self, command, **arguments):
        self.number += 1
        text = json.dumps({"seq": self.number, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()
        return self.number

    def answer(self, number):
        while True:
            message = self.message()
            if message["type"] == "event":
                self.events.append(message)
            elif message["type"] == "response" and message["request_seq"] == number:
                require("%s: %s" % (message["command"], message.get("message")), message["success"])
                return message.get("body", {})

    def ask(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    def event(self, name):
        while True:
            for message in self.events:
                if message["event"] == name:
                    self.events.remove(message)
                    return message.get("body", {})
            message = self.message()
            if message["type"] == "event":
                self.events.append(message)
            else:
                require(str(message), message.get("success", True))


def dap(folder):
    process, path = machine(folder, "dap")
    adapter = Adapter(folder)
    adapter.ask("initialize", adapterID="lldb-dap", linesStartAt1=True)
    adapter.send("attach", program=folder + "/sums.elf",
                 attachCommands=[
                     "script lldb.debugger.SetAsync(False)", "target create sums.elf",
                     "process connect --plugin gdb-remote unix-connect://" + path, "script lldb.debugger.SetAsync(True)"])
    adapter.event("initialized")
    said = adapter.ask("setBreakpoints", source={"path": folder + "/sums.cl"}, breakpoints=[{"line": 5, "condition": "i == 20"}])
    require("the breakpoint is set: %s" % said, said["breakpoints"][0]["verified"])
    adapter.ask("configurationDone")
    stopped = adapter.event("stopped")
    require("stop at the breakpoint: %s" % stopped, stopped["reason"] == "breakpoint")
    names = {thread["name"]: thread["id"] for thread in adapter.ask("threads")["threads"]}
    own = [name for name in names if "(20,0,0)" in name]
    require("work-items are threads", len(names) == 64 and own)
    frame = adapter.ask("stackTrace", threadId=names[own[0]], levels=1)["stackFrames"][0]
    require("the frame: %s" % frame, frame["line"] == 5 and frame["source"]["path"].endswith("sums.cl"))
    scope = adapter.ask("scopes", frameId=frame["id"])["scopes"][0]
    values = {v["name"]: v["value"] for v in adapter.ask("variables", variablesReference=scope["variablesReference"])["variables"]}
    require("variables: %s" % values, values["i"] == "20" and values["n"] == "5")
    adapter.ask("setBreakpoints", source={"path": folder + "/sums.cl"}, breakpoints=[])
    adapter.ask("continue", threadId=names[own[0]])
    adapter.event("terminated")
    adapter.process.kill()
    require("the kernel ends", process.wait(20) == 0)


missing = [tool for tool in ("gdb-multiarch", "lldb-dap-19") if not shutil.which(tool)]
if missing:
    print("SKIPPED: no", *missing)
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    shutil.copy(SOURCE, folder)
    subprocess.run([VENTUS, "cc", "--options", "-g", "sums.cl"], cwd=folder, check=True)
    mi(folder)
    print("machine interface: ok")
    dap(folder)
    print("debug adapter: ok")
