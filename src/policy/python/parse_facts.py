# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
#
# The whole program of the parser child. It answers each framed source on descriptor 0 with one framed
# JSON text on descriptor 1 and decides nothing. Framing and fields: src/policy/python_facts.h.
import posix
import sys
from _ast import AST

FRAME_LIMIT = 1 << 20
NODE_LIMIT = 400_000
TEXT_LIMIT = 4096  # code points of a constant that are sent; its length is sent in full
ONLY_AST = 0x400
CONTEXTS = {"Load": 0, "Store": 1, "Del": 2}
CONSTANTS = {"NoneType": 0, "bool": 1, "int": 2, "float": 3, "complex": 4, "str": 5, "bytes": 6,
             "ellipsis": 7}
NAMES = {"id", "attr", "name", "arg", "module", "rest", "names", "kwd_attrs", "asname"}
sys.setrecursionlimit(20_000)


def read_exactly(count):
    parts = []
    while count:
        part = posix.read(0, count)
        if not part:
            posix._exit(0)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def quote(text):
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    out = []
    for unit in text:
        code = ord(unit)
        if code < 32 or unit in '"\\':
            out.append(f"\\u{code:04x}")
        elif 0xD800 <= code < 0xE000:
            out.append("\ufffd")
        else:
            out.append(unit)
    return '"' + "".join(out) + '"'


class Facts:
    def __init__(self):
        self.strings = {}
        self.numbers = []

    def intern(self, text):
        return self.strings.setdefault(text, len(self.strings))

    def constant(self, value):
        kind = CONSTANTS[type(value).__name__]
        if kind == 5:
            return self.intern(value[:TEXT_LIMIT]), kind, len(value)
        if kind == 6:
            return self.intern(value[:TEXT_LIMIT].decode("latin-1")), kind, len(value)
        if kind == 2 and value.bit_length() < 64:
            return self.intern(str(value)), kind, 0
        return -1, kind, int(value) if kind == 1 else 0

    # One row of eight numbers per node, parents before children, children in source order.
    def add(self, root):
        intern, numbers = self.intern, self.numbers
        pending = [(root, -1, -1, 0, 0)]
        count = 0
        while pending:
            node, parent, field, line, column = pending.pop()
            if count == NODE_LIMIT:
                raise MemoryError("too many nodes")
            index, count = count, count + 1
            line = getattr(node, "lineno", line)
            column = getattr(node, "col_offset", column)
            text = other = -1
            flag = 0
            children = []
            for name in node._fields:
                value = getattr(node, name, None)
                if value is None and name != "value":
                    continue
                if name in NAMES and not isinstance(value, AST):
                    if isinstance(value, str):
                        if name == "asname":
                            other = intern(value)
                        else:
                            text = intern(value)
                        continue
                    if not value or not isinstance(value[0], AST):
                        text = intern(",".join(value))
                        continue
                if isinstance(value, AST):
                    if name == "ctx":
                        flag = CONTEXTS[type(value).__name__]
                    elif name == "op":
                        text = intern(type(value).__name__)
                    else:
                        children.append((value, index, intern(name), line, column))
                elif isinstance(value, list):
                    if name != "ops":
                        label = intern(name)
                        for item in value:
                            if isinstance(item, AST):
                                children.append((item, index, label, line, column))
                elif name == "level":
                    flag = value
                elif name == "value" and type(node).__name__ == "Constant":
                    text, flag, other = self.constant(value)
            children.reverse()
            pending += children
            numbers += (parent, field, intern(type(node).__name__), line, column, text, other, flag)

    def json(self):
        strings = ",".join(map(quote, self.strings))
        return f'{{"status":"ok","strings":[{strings}],"nodes":{self.numbers}}}'


def answer(source):
    try:
        facts = Facts()
        facts.add(compile(source.decode(), "", "exec", ONLY_AST, True))
        return facts.json()
    except SyntaxError as error:
        place = f'"line":{error.lineno or 0},"column":{error.offset or 0}'
        return f'{{"status":"syntax","message":{quote(str(error.msg)[:200])},{place}}}'
    except (MemoryError, RecursionError, OverflowError) as error:
        return f'{{"status":"limit","message":{quote(type(error).__name__)}}}'
    except ValueError as error:
        return f'{{"status":"syntax","message":{quote(str(error)[:200])},"line":0,"column":0}}'


def send(text):
    reply = text.encode()
    view = memoryview(len(reply).to_bytes(4, "little") + reply)
    while view:
        view = view[posix.write(1, view):]


send('{"status":"ready","version":[%d,%d]}' % sys.version_info[:2])
while True:
    size = int.from_bytes(read_exactly(4), "little")
    if size > FRAME_LIMIT:
        posix._exit(1)
    send(answer(read_exactly(size)))
