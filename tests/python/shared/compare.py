"""Comparison of results to the last bit."""
import numpy as np


def compare(name, got, want, *columns):
    """Equal bits, but for which NaN it is."""
    different = got.view(np.uint8).reshape(len(got), -1) != want.view(np.uint8).reshape(len(got), -1)
    bad = np.flatnonzero(different.any(axis=1) & ~((got != got) & (want != want)))
    print(f"{name}: {'correct' if not len(bad) else f'{len(bad)} WRONG'}")
    for i in bad[:4]:
        print(f"  {[float(c[i]).hex() for c in columns]}: {got[i]!r}, must be {want[i]!r}")
    return not len(bad)
