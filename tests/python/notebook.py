"""The notebook examples/notebook/matmul.ipynb: its cells print what it shows, the products are right, and each step is better than the one
before. `notebook.py --update` writes what they print now into the notebook.
"""
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("VENTUS_SOURCE", pathlib.Path(__file__).parents[2]))
sys.path.insert(0, str(SOURCE / "python"))
for name in "BACKEND", "CONFIG", "TIMING", "PROFILE", "CHECK":
    os.environ.pop(f"VENTUS_{name}", None) # what it shows is of the default machine
PATH = SOURCE / "examples/notebook/matmul.ipynb"


def run(notebook):
    """The names of the cells, and what each cell has printed."""
    names, printed = {}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("".join(cell["source"]), PATH.name, "exec"), names)
            printed.append(out.getvalue())
    return names, printed


def shown(cell):
    return "".join("".join(out["text"]) for out in cell["outputs"])


def update(cells, printed):
    for number, (cell, text) in enumerate(zip(cells, printed), 1):
        cell["execution_count"] = number
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": text.splitlines(True)}] if text else []


def check(cells, printed, steps):
    assert all(s["correct"] for s in steps.values()), steps
    assert len(steps) == 5
    rows = list(steps.values())
    for before, after in zip(rows, rows[1:]):
        assert after["cycles"] < 0.9 * before["cycles"] and after["instructions"] <= before["instructions"], (before, after)
    assert rows[1]["lines per access"] < rows[0]["lines per access"] / 10 and rows[2]["lines"] < rows[1]["lines"] / 20
    for cell, text in zip(cells, printed):
        assert text == shown(cell), f"printed:\n{text}\nshown:\n{shown(cell)}"


def check_start(notebook):
    """As the notebook says it is started in the sources; a notebook's process is in the folder of the notebook."""
    setting = re.search(r"`(PYTHONPATH=\S+)`", "".join(notebook["cells"][0]["source"]))[1]
    command = f"export {setting}; cd examples/notebook && exec {sys.executable} -c 'import ventus'"
    subprocess.run(command, shell=True, cwd=SOURCE, env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"}, check=True)


notebook = json.loads(PATH.read_text())
check_start(notebook)
names, printed = run(notebook)
cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
if sys.argv[1:] == ["--update"]:
    update(cells, printed)
    PATH.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
check(cells, printed, names["steps"])
print("\n".join(printed))
