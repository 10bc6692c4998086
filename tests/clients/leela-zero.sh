# packages: leela-zero python3-numpy
# checks: a tiny network with random weights judges three positions, and itself against the processor, as it does on the host
set -eu

# One residual block of 16 filters; rows as the program's README describes them.
/usr/bin/python3 - >network <<'PYTHON'
import numpy as np
random = np.random.default_rng(5)
FILTERS, POINTS = 16, 19 * 19


def row(values):
    print(" ".join(f"{v:.5f}" for v in values))


def convolution(inputs, outputs, size):
    row(random.normal(0, (2 / (inputs * size * size)) ** 0.5, outputs * inputs * size * size))
    row(np.zeros(outputs))
    row(random.normal(0, 0.1, outputs))
    row(random.uniform(0.8, 1.2, outputs))


def connected(inputs, outputs):
    row(random.normal(0, inputs**-0.5, inputs * outputs))
    row(random.normal(0, 0.1, outputs))


print(1)
convolution(18, FILTERS, 3)
for layer in range(2):
    convolution(FILTERS, FILTERS, 3)
convolution(FILTERS, 2, 1)
connected(2 * POINTS, POINTS + 1)
convolution(FILTERS, 1, 1)
connected(POINTS, 256)
connected(256, 1)
PYTHON

judge() { # name, options...
    name=$1
    shift
    printf '%s\n' heatmap 'play b q16' heatmap 'play w d4' heatmap quit |
        leelaz --gtp --noponder --threads 1 --weights network --precision single "$@" >"$name.out" 2>"$name.log" ||
        { cat "$name.log"; exit 1; }
    grep -E '^ *([0-9]+ +){18}[0-9]+|^pass:|^winrate:' "$name.log" >"$name.map" || true
    [ "$(wc -l <"$name.map")" = 63 ] || { cat "$name.log"; echo "$name: $(wc -l <"$name.map") lines"; exit 1; }
}
PATH=$PATH:/usr/games
judge host --cpu-only
judge device
grep 'Selected device:' device.log

# Thousandths of a chance, so that one may be rounded otherwise.
/usr/bin/python3 - <<'PYTHON'
import re
import numpy as np
have, want = (np.array([float(x) for x in re.findall(r"[0-9.]+", open(name).read())]) for name in ["device.map", "host.map"])
assert want.size == 3 * 363 and want.std() > 0.5
assert np.abs(have - want).max() <= 1, f"differs by {np.abs(have - want).max()}"
print(f"{want.size} numbers, largest difference {np.abs(have - want).max():g}")
PYTHON
