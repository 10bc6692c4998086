# packages: python3-opencv python3-numpy
# checks: filters, warps, thresholds, sums and a small network on the device, against OpenCV's own ways on the host
import hashlib
import os

# `::`: the device may be a CPU. Without the others OpenCV goes back to the host silently, and always for networks on
# devices other than Intel's; and it would find kernels of an earlier run.
os.environ |= {"OPENCV_OPENCL_DEVICE": "::", "OPENCV_OPENCL_RAISE_ERROR": "1", "OPENCV_DNN_OPENCL_ALLOW_ALL_DEVICES": "1",
               "OPENCV_OPENCL_CACHE_ENABLE": "0"}

import cv2  # noqa: E402, reads the variables
import numpy as np  # noqa: E402

random = np.random.default_rng(1)
picture = cv2.GaussianBlur(random.integers(0, 256, (121, 163, 3)).astype(np.uint8), (5, 5), 0)
grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
matrix = random.uniform(-1, 1, (60, 70)).astype(np.float32)
turn = cv2.getRotationMatrix2D((80, 60), 30, 0.8)

# Name, how far a result may be from the host's, function, what it gets.
steps = [
    ("GaussianBlur", 1, lambda x: cv2.GaussianBlur(x, (7, 7), 1.5), picture),
    ("medianBlur", 0, lambda x: cv2.medianBlur(x, 5), picture),
    ("bilateralFilter", 1, lambda x: cv2.bilateralFilter(x, 5, 40, 40), picture),
    ("Sobel", 0, lambda x: cv2.Sobel(x, cv2.CV_16S, 1, 0), grey),
    ("Laplacian", 1, lambda x: cv2.Laplacian(x, cv2.CV_8U), grey),
    ("erode", 0, lambda x: cv2.erode(x, np.ones((3, 3), np.uint8)), grey),
    ("resize", 1, lambda x: cv2.resize(x, (200, 90), interpolation=cv2.INTER_LINEAR), picture),
    ("warpAffine", 1, lambda x: cv2.warpAffine(x, turn, (160, 120)), picture),
    ("cvtColor HSV", 1, lambda x: cv2.cvtColor(x, cv2.COLOR_BGR2HSV), picture),
    ("cvtColor Lab", 1, lambda x: cv2.cvtColor(x, cv2.COLOR_BGR2Lab), picture),
    ("threshold", 0, lambda x: cv2.threshold(x, 100, 255, cv2.THRESH_BINARY)[1], grey),
    ("equalizeHist", 1, cv2.equalizeHist, grey),
    ("calcHist", 0, lambda x: cv2.calcHist([x], [0], None, [32], [0, 256]), grey),
    ("integral", 0, cv2.integral, grey),
    ("matchTemplate", 0.05, lambda x: cv2.matchTemplate(x, grey[20:36, 30:46], cv2.TM_CCOEFF_NORMED), grey),
    ("gemm", 1e-4, lambda x: cv2.gemm(x, matrix, 1, None, 0, flags=cv2.GEMM_2_T), matrix),
    ("dft", 1e-3, lambda x: cv2.dft(x, flags=cv2.DFT_COMPLEX_OUTPUT), matrix),
    ("magnitude", 1e-5, lambda x: cv2.magnitude(x, x), matrix),
    ("pow", 1e-5, lambda x: cv2.pow(x, 2), matrix),
]

# Darknet's format is one that can be written by hand: convolution with 8 filters of 3 x 3, pooling, a full layer.
NETWORK = b"""[net]
width=16
height=16
channels=3
[convolutional]
filters=8
size=3
stride=1
pad=1
activation=leaky
[maxpool]
size=2
stride=2
[convolutional]
filters=4
size=1
stride=1
pad=0
activation=logistic
[softmax]
groups=1
"""


def host_array(result):
    return np.asarray(result.get() if isinstance(result, cv2.UMat) else result)


def network(target):
    weights = np.random.default_rng(2).uniform(-0.5, 0.5, 8 + 8 * 27 + 4 + 4 * 8).astype(np.float32)
    model = np.array([0, 2, 0, 0, 0], np.int32).tobytes() + weights.tobytes()
    net = cv2.dnn.readNetFromDarknet(np.frombuffer(NETWORK, np.uint8), np.frombuffer(model, np.uint8))
    net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
    net.setPreferableTarget(target)
    net.setInput(cv2.dnn.blobFromImage(cv2.resize(picture, (16, 16)), 1 / 255))
    return net.forward()


cv2.setRNGSeed(1)
cv2.ocl.setUseOpenCL(True)
assert cv2.ocl.useOpenCL(), "OpenCV finds no device"
print(cv2.ocl.Device_getDefault().name(), flush=True)
wrong = []
for name, tolerance, function, data in steps:
    print(name, flush=True)
    have, want = host_array(function(cv2.UMat(data))), host_array(function(data))
    difference = np.abs(have.astype(float) - want.astype(float)).max() if have.shape == want.shape else np.inf
    if difference > tolerance:
        wrong.append(f"{name} by {difference:g}")
# A few pixels of Canny's edges are others on the host: it has to be what another OpenCL gives.
edges = cv2.Canny(cv2.UMat(grey), 40, 90).get()
open("result", "w").write(f"Canny {hashlib.md5(edges.tobytes()).hexdigest()}\n")
print("dnn", flush=True)
difference = np.abs(network(cv2.dnn.DNN_TARGET_OPENCL) - network(cv2.dnn.DNN_TARGET_CPU)).max()
if not difference < 1e-4:
    wrong.append(f"dnn by {difference:g}")
assert not wrong, f"wrong: {', '.join(wrong)}"
print(f"{len(steps) + 1} functions, a network")
