# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""The worker's side of the protocol: maps granted memory into torch tensors, loads the candidate and
calls it. It runs in the process of code that nobody trusts, so it decides nothing: the controller
judges memory that it owns, and whatever is reported here can only make a verdict worse."""

import os
import sys


def serve(socket_number):
    """Answers the controller's commands until it says stop or goes away."""
    import _signal
    import _socket
    import ctypes
    import json
    import mmap
    import struct

    FRAME = struct.Struct("<4sHHIIIIQ4096s")
    READY, DONE, ERROR = 1, 2, 3
    RAISED, SYNTAX, NO_ENTRY, NO_TORCH, SETUP, NO_FILE = 1, 2, 3, 4, 5, 6
    MAX_COMMAND_BYTES, MAX_DESCRIPTORS = 65536, 60
    PR_SET_DUMPABLE, SECCOMP_SET_MODE_FILTER = 4, 1
    MAP_FIXED = 0x10

    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                          ctypes.c_int, ctypes.c_longlong)
    libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    libc.close.argtypes = (ctypes.c_int,)
    channel = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, socket_number)

    class Refused(Exception):
        """Ends a command with an error frame."""

        def __init__(self, kind, text, line=0):
            super().__init__(text)
            self.kind, self.text, self.line = kind, text, line

    def receive():
        text, control, _, _ = channel.recvmsg(MAX_COMMAND_BYTES,
                                              _socket.CMSG_SPACE(4 * MAX_DESCRIPTORS))
        if not text:
            os._exit(0)
        descriptors = []
        for _, _, data in control:
            descriptors += struct.unpack(f"{len(data) // 4}i", data)
        return json.loads(text), descriptors

    def send(kind, sequence, detail=0, line=0, text=""):
        # Cut between characters, never inside one.
        data = text.encode("utf-8", "replace")[:4096].decode("utf-8", "ignore").encode()
        channel.sendmsg([FRAME.pack(b"CCWF", 1, kind, sequence, len(data), detail, line, 0, data)])

    def lock_down(command):
        """Nothing of the candidate is loaded yet: from here on no program can be started."""
        rules = bytes.fromhex(command["filter"])
        buffer = ctypes.create_string_buffer(rules, len(rules))

        class Program(ctypes.Structure):
            _fields_ = [("length", ctypes.c_ushort), ("rules", ctypes.c_void_p)]

        program = Program(len(rules) // 8, ctypes.addressof(buffer))
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        return libc.syscall(command["seccomp"], SECCOMP_SET_MODE_FILTER, 0,
                            ctypes.byref(program)) == 0

    def catch_faults():
        """For a tracing controller: it stops the process before a handler runs, and learns from the
        frame that the kernel builds for one whether the access read or wrote."""
        for number in (_signal.SIGSEGV, _signal.SIGBUS):
            _signal.signal(number, lambda *_: None)

    def map_part(address, length, protection, flags, descriptor, offset):
        result = libc.mmap(address, length, protection, flags, descriptor, offset)
        if result is None or result == ctypes.c_void_p(-1).value:
            raise Refused(SETUP, f"cannot map a tensor: errno {ctypes.get_errno()}")
        return result

    def map_grant(grant, descriptor):
        """The file's content between two stretches of the same file that allow no access."""
        guard, size = grant["guard_bytes"], grant["bytes"]
        total = guard + size + guard
        protection = mmap.PROT_READ | (mmap.PROT_WRITE if grant["writable"] else 0)
        base = map_part(None, total, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        shared = mmap.MAP_SHARED | MAP_FIXED
        map_part(base, guard, 0, shared, descriptor, grant["before_offset"])
        map_part(base + guard, size, protection, shared, descriptor, 0)
        map_part(base + guard + size, guard, 0, shared, descriptor, size)
        libc.close(descriptor)
        return {**grant, "base": base, "total": total, "content": base + guard}

    def tensor_of(grant):
        """A new tensor object over the granted memory; no byte is copied."""
        shape, strides, offset = grant["shape"], grant["strides"], grant["offset"]
        # Two E2M1 numbers share a byte; torch has no such element.
        name = "uint8" if grant["dtype"].startswith("float4") else grant["dtype"]
        dtype = getattr(torch, name, None)
        if dtype is None:
            raise Refused(SETUP, f"torch {torch.__version__} has no element type {name}")
        if grant["storage_bytes"] == 0:
            return torch.empty(0, dtype=dtype).as_strided(shape, strides)
        array = (ctypes.c_char * grant["storage_bytes"]).from_address(
            grant["content"] + grant["storage_begin"])
        return torch.frombuffer(array, dtype=dtype).as_strided(shape, strides, offset)

    def argument_of(argument, grants, prepared):
        if "tensor" in argument:
            return tensor_of(grants[argument["tensor"]])
        if "prepared" in argument:
            return prepared
        value = argument["value"]
        return float(value) if isinstance(value, str) else value

    def refusal(kind, error, source):
        """What went wrong in the candidate, with the line of its file if it is known."""
        line, trace = 0, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == source:
                line = trace.tb_lineno
            trace = trace.tb_next
        if isinstance(error, SyntaxError):
            line = error.lineno or line
        try:
            text = f"{type(error).__name__}: {error}"
        except BaseException:  # the candidate may have written __str__
            text = type(error).__name__
        return Refused(kind, text, line if 0 <= line < 1 << 31 else 0)

    def load(command):
        import importlib.util
        source = command["source"]
        # Modules of the bundle come last: none can take the place of another.
        sys.path.append(command["root"])
        spec = importlib.util.spec_from_file_location("candidate", source)
        try:
            code = spec.loader.get_code("candidate")
        except OSError as error:
            raise Refused(NO_FILE, f"{type(error).__name__}: {error}") from None
        except BaseException as error:
            raise refusal(SYNTAX, error, source) from None
        module = importlib.util.module_from_spec(spec)
        sys.modules["candidate"] = module
        try:
            exec(code, module.__dict__)
        except BaseException as error:
            raise refusal(RAISED, error, source) from None
        functions = {}
        for role in ("entry", "prepare"):
            name = command[role]
            functions[role] = module.__dict__.get(name) if name else None
            if name and not callable(functions[role]):
                raise Refused(NO_ENTRY, f"{role} `{name}` is not a callable of the module")
        return functions

    def invoke(function, command, descriptors, state):
        for grant, descriptor in zip(command["grants"], descriptors):
            state["grants"][grant["id"]] = map_grant(grant, descriptor)
        arguments = [argument_of(argument, state["grants"], state["prepared"])
                     for argument in command["arguments"]]
        try:
            return function(*arguments)
        except BaseException as error:
            raise refusal(RAISED, error, state["source"]) from None

    def revoke(number, state):
        grant = state["grants"].pop(number, None)
        if grant is not None:
            libc.munmap(grant["base"], grant["total"])

    def execute(command, descriptors, state):
        """Returns the detail of the done frame."""
        operation = command["op"]
        if operation == "load":
            state["source"] = command["source"]
            state["functions"] = load(command)
        elif operation == "prepare":
            state["prepared"] = invoke(state["functions"]["prepare"], command, descriptors, state)
        elif operation == "call":
            value = invoke(state["functions"]["entry"], command, descriptors, state)
            return 0 if value is None else 1
        elif operation == "revoke":
            revoke(command["grant"], state)
        return 0

    command, _ = receive()
    if not lock_down(command):
        send(ERROR, 0, SETUP, text=f"the second filter was refused: errno {ctypes.get_errno()}")
        return
    if command["traced"]:
        catch_faults()
    try:
        import torch
        torch.set_num_threads(command["threads"])
        # torch starts its threads at its first parallel operation, which is to be this one.
        torch.zeros(1 << 18).add_(1.0)
    except BaseException as error:
        send(ERROR, 0, NO_TORCH, text=f"{type(error).__name__}: {error}")
        return
    send(READY, 0, text=str(torch.__version__))

    state = {"grants": {}, "functions": {}, "prepared": None, "source": ""}
    while True:
        command, descriptors = receive()
        sequence = command["sequence"]
        try:
            detail = execute(command, descriptors, state)
        except Refused as refused:
            send(ERROR, sequence, refused.kind, refused.line, refused.text)
        else:
            send(DONE, sequence, detail)
        if command["op"] == "stop":
            return


try:
    serve(3)
except BaseException:
    sys.excepthook(*sys.exc_info())
    os._exit(1)
# Not by way of the interpreter's shutdown, which would run what the candidate left there.
os._exit(0)
