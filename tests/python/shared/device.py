"""An OpenCL device on which tests compute arrays from arrays."""
import pyopencl as cl


class Device:
    def __init__(self):
        self.context = cl.create_some_context(interactive=False)
        self.queue = cl.CommandQueue(self.context)

    def build(self, source, options=""):
        return cl.Program(self.context, source).build(options=options, cache_dir=False)

    def run(self, kernel, items, out, *arrays):
        """`out`, an array or a list of them, is what `items` work-items make of `arrays`."""
        flags, outs = cl.mem_flags, out if isinstance(out, list) else [out]
        buffers = [cl.Buffer(self.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=a) for a in arrays]
        results = [cl.Buffer(self.context, flags.WRITE_ONLY, o.nbytes) for o in outs]
        kernel(self.queue, (items,), None, *buffers, *results)
        for array, buffer in zip(outs, results):
            cl.enqueue_copy(self.queue, array, buffer)
        return out
