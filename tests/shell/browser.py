"""One Chromium for all pages that a test looks at: a start takes longer than most of what is looked at.

Requests are lines on standard input. "show PAGE SCRIPT DOM" loads the file PAGE, runs the text of the file SCRIPT in it (which
may await something), and writes what the page is then to the file DOM. "picture PAGE WIDTH HEIGHT FILE" takes a picture.
Each is answered by a line, "done" or what was wrong. The pages' times are real: a script waits for what it wants to see.
"""
import base64, json, os, pathlib, shlex, signal, subprocess, sys, tempfile

FLAGS = "--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --remote-debugging-pipe"
SECONDS = 60  # until a page counts as hanging


class Browser:
    def __init__(self, profile):
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()

        def descriptors():  # Chromium reads commands from 3 and writes answers to 4
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(["chromium", *FLAGS.split(), f"--user-data-dir={profile}", "about:blank"], preexec_fn=descriptors,
                                        close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.last, self.session = b"", 0, None
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        self.call("Page.enable")

    def message(self):
        while b"\0" not in self.rest:
            part = os.read(self.back, 1 << 20)
            if not part: raise EOFError("chromium has ended")
            self.rest += part
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, event=None, **parameters):
        """The answer to a command, once the event has come that is named."""
        self.last += 1
        command = {"id": self.last, "method": method, "params": parameters}
        if self.session: command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        answer, waiting = None, event
        while answer is None or waiting:
            m = self.message()
            if m.get("id") == self.last: answer = m
            if m.get("method") == waiting: waiting = None
        if "error" in answer: raise ValueError(answer["error"]["message"])
        return answer["result"]

    def load(self, page):
        """Afresh, even if it is the page that is there."""
        self.call("Page.navigate", "Page.loadEventFired", url=pathlib.Path(page).resolve().as_uri())

    def run(self, script):
        """In a function: what the script declares is not in the way of names of the page, and it may await."""
        result = self.call("Runtime.evaluate", expression=f"(async () => {{ {script}\n}})()", awaitPromise=True, timeout=SECONDS * 1000)
        if "exceptionDetails" in result: raise ValueError(result["exceptionDetails"].get("exception", {}).get("description", "an error in the script"))

    def show(self, page, script, dom):
        self.load(page)
        self.run(pathlib.Path(script).read_text())
        text = self.call("Runtime.evaluate", expression="document.documentElement.outerHTML")["result"]["value"]
        pathlib.Path(dom).write_text(text)

    def picture(self, page, width, height, file):
        self.call("Emulation.setDeviceMetricsOverride", width=int(width), height=int(height), deviceScaleFactor=1, mobile=False)
        self.load(page)
        pathlib.Path(file).write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
        self.call("Emulation.clearDeviceMetricsOverride")


def hang(*_): raise TimeoutError(f"no answer in {SECONDS} seconds")


def main():
    signal.signal(signal.SIGALRM, hang)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = None
        try:
            for line in sys.stdin:
                word, *arguments = shlex.split(line)
                signal.alarm(SECONDS)
                try:
                    browser = browser or Browser(profile)
                    getattr(browser, word)(*arguments)
                    print("done", flush=True)
                except (ValueError, TimeoutError) as e:
                    print(" ".join(str(e).split()), flush=True)
                signal.alarm(0)
        finally:
            if browser: browser.process.kill(), browser.process.wait()


main()
