// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/policy/scan_test_bundle.h"

namespace cacheon::policy {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

// `bad` must have the finding, exactly there; `good` looks alike and must not have the code.
struct RuleCase {
  const char* name;
  const char* finding;  // "code line:column"
  const char* bad;
  const char* good;
};

ScanReport ScanPython(std::string_view source, bundle::Mode mode = bundle::Mode::kStrict) {
  const std::string text(source);
  return ScanTestBundle(MakeTestBundle({{"k.py", text}}), mode);
}

class PythonRule : public ::testing::TestWithParam<RuleCase> {};

TEST_P(PythonRule, FindsTheEvasionAndLeavesTheLookAlike) {
  const RuleCase& rule = GetParam();
  EXPECT_THAT(Briefs(ScanPython(rule.bad)), Contains(rule.finding));
  const std::string finding = rule.finding;
  EXPECT_FALSE(HasCode(ScanPython(rule.good), finding.substr(0, finding.find(' '))))
      << ::testing::PrintToString(Briefs(ScanPython(rule.good)));
}

const RuleCase kFloor[] = {
    {"ImportRoot", "py.import_denied 1:8", "import socket", "import math"},
    {"ImportBehindAlias", "py.import_denied 1:8", "import subprocess as math",
     "import math as subprocess"},
    {"ImportFromSubmodule", "py.import_denied 2:3",
     "def f():\n  from urllib.request import urlopen", "from math import sqrt"},
    {"ImportValidator", "py.import_validator 1:8", "import cacheon.eval",
     "import cacheon.contracts"},
    {"ImportValidatorBare", "py.import_validator 1:1", "from cacheon import slots",
     "from cacheon.slots import silu_and_mul"},
    {"BuiltinCall", "py.builtin 2:3", "def f(x):\n  eval(x)", "def f(x):\n  return x.eval_mode"},
    {"BuiltinCallNormalised", "py.builtin 1:1", "\xEF\xBD\x85val('1')", "evaluate = 1"},
    {"DynamicAttribute", "py.dynattr 2:10", "def f(x, n):\n  return getattr(x, n)",
     "def f(x):\n  return getattr(x, 'shape')"},
    {"DynamicAttributeStarred", "py.dynattr 2:10", "def f(a):\n  return getattr(*a)",
     "def f(a):\n  return max(*a)"},
    {"Dunder", "py.dunder 2:10", "def f(x):\n  return x.__class__",
     "def f(x):\n  return x.__doc__"},
    {"DunderSubscript", "py.dunder 1:5", "x = __builtins__['eval']", "x = {}['eval':]"},
    {"DunderByLiteralGetattr", "py.dunder 2:10", "def f(x):\n  return getattr(x, '__globals__')",
     "def f(x):\n  return getattr(x, 'globals_')"},
    {"EscapeAttribute", "py.escape_attr 2:6", "import os\ns = (os.system)",
     "import os\ns = os.sep"},
    {"EscapeByLiteralGetattr", "py.escape_attr 2:1", "import os\ngetattr(os, 'popen')('x')",
     "import os\ngetattr(os, 'sep')"},
    {"Deserialize", "py.deserialize 2:1", "import torch\ntorch.load('x')",
     "import triton.language as tl\ndef f(p):\n  return tl.load(p)"},
    {"DeserializeBehindAlias", "py.deserialize 2:1", "import torch as tl\ntl.load('x')",
     "import json\njson.loads('x')"},
    {"DyncodeString", "py.dyncode 1:5", "x = '__import__'", "x = 'import'"},
    {"DyncodeAttributeCall", "py.dyncode 2:3", "def f(x):\n  x.exec_module()",
     "def f(x):\n  x.execute()"},
    {"DyncodeName", "py.dyncode 1:5", "x = __import__", "x = importer = 1"},
    {"RelativeImportOutside", "py.closure 1:1", "from .. import other",
     "from __future__ import annotations"},
    {"RelativeImportMissing", "py.closure 1:1", "from .missing import x", "from . import k"},
    {"Syntax", "py.syntax 2:5", "x = 1\ny = = 2", "x = 1\ny = 2"},
    {"Version", "py.version 1:1", "type X = int", "type = 1"},
    {"CompileOfText", "py.compile_not_admitted 2:1",
     "import cutlass.cute as cute\ncute.compile('kernel')",
     "import cutlass.cute as cute\n@cute.jit\ndef k(): pass\ndef f(): return cute.compile(k, 1)"},
    {"CompileOfNamedText", "py.compile_not_admitted 3:1",
     "import cutlass.cute as cute\nsource = 'kernel'\ncute.compile(source)",
     "import cutlass.cute as cute\ndef f(kernel): return cute.compile(kernel)"},
    {"CompileReceiverRebound", "py.compile_not_admitted 3:1",
     "import cutlass.cute as cute\ndef cute(): pass\ncute.compile(1)",
     "import cutlass.cute as c\ndef f(k): return c.compile(k)"},
    {"CompileReceiverFromImport", "py.compile_not_admitted 2:1",
     "from cutlass import cute\ncute.compile(print)",
     "import cutlass.cute as cute\ndef f(k): return cute.compile(k, options=3)"},
    {"CompileWithReflection", "py.compile_not_admitted 3:1",
     "import cutlass.cute as cute\nvars()\ncute.compile(print)",
     "import cutlass.cute as cute\ndef f(k): return cute.compile(k)"},
};
INSTANTIATE_TEST_SUITE_P(Floor, PythonRule, ::testing::ValuesIn(kFloor),
                         [](const auto& rule) { return rule.param.name; });

const RuleCase kAdded[] = {
    {"ImportedName", "py.importfrom_name 1:16", "from os import system", "from os import sep"},
    {"ImportedNameAlias", "py.importfrom_name 1:16", "from os import execv as e",
     "from os.path import join as system"},
    {"ImportExtended", "py.import_denied 1:8", "import gc", "import math"},
    {"ModuleOfAnotherModule", "py.import_denied 3:3",
     "import torch\ndef f():\n  torch.nn.parallel.threading.Thread()",
     "import torch\ndef f(x):\n  x.threading.start()\n  torch.select(x, 0, 1)"},
    {"NativeCodeOfAnotherModule", "py.native_load 3:3",
     "import torch\ndef f(p):\n  torch.ctypes.memset(p, 0, 4)",
     "import torch\ndef f(p):\n  torch.cuda.memset(p, 0, 4)"},
    {"FrameOfAnotherModule", "py.frame 2:1", "import torch\ntorch.sys._getframe(1)",
     "import torch\ntorch.sys.maxsize"},
    {"ExitOfAnotherModule", "py.process_exit 2:1", "import numpy as np\nnp.os._exit(0)",
     "import numpy as np\nnp.os.sep"},
    {"ImportTorchSubmodule", "py.import_denied 1:19", "from torch import multiprocessing",
     "from torch import nn"},
    {"FrameByAlias", "py.frame 3:1", "import sys\ns = sys\ns._getframe()",
     "import sys\ns = sys\ns.maxsize"},
    {"FrameByAttribute", "py.frame 2:10", "def f(g):\n  return g.gi_frame",
     "def f(g):\n  return g.frame"},
    {"FrameByDefault", "py.frame 3:10", "import sys\ndef f(s=sys):\n  return s._getframe()",
     "import sys\ndef f(s=1):\n  return s.frame()"},
    {"FrameByReturn", "py.frame 3:1", "import sys\ndef g(): return sys\ng()._getframe(0)",
     "import math\ndef g(): return math\ng().sqrt(0)"},
    {"FrameByContainer", "py.frame 2:1", "import sys\n[sys][0]._getframe()",
     "import sys\n[1][0].real"},
    {"FrameByObjectAttribute", "py.frame 4:18",
     "import sys\nclass A:\n  s = sys\ndef f(a): return a.s._getframe()",
     "class A:\n  s = 1\ndef f(a): return a.s.real"},
    {"ModulesTable", "py.modules 2:5", "import sys\nx = sys.modules",
     "import torch\ndef f(m): return m.modules()"},
    {"ModulesByLoop", "py.modules 2:17", "import sys\nfor s in [sys]: s.modules",
     "for s in [1]: s.real"},
    {"EnvironmentWrite", "py.modules 2:1", "import os\nos.environ['A'] = '1'",
     "import os\nx = os.environ['A']"},
    {"EnvironmentUpdate", "py.modules 3:1", "import os\ne = os.environ\ne.update(A='1')",
     "e = {}\ne.update(A='1')"},
    {"BuiltinReference", "py.builtin_ref 1:5", "g = getattr", "def f(input): return input * 2"},
    {"BuiltinReferenceShadowedElsewhere", "py.builtin_ref 2:5", "def f(open): pass\ne = open",
     "def f(open):\n  e = open"},
    {"BuiltinReferenceInClass", "py.builtin_ref 4:13",
     "class A:\n  open = 1\n  def f(self):\n    return [open]",
     "class A:\n  def f(self, open):\n    return [open]"},
    {"PartialGetattr", "py.indirect_attr 2:27",
     "import functools\nx = functools.partial(    getattr, 1)",
     "import functools\nx = functools.partial(max, 1)"},
    {"Attrgetter", "py.indirect_attr 2:1", "import operator as o\no.attrgetter('a')",
     "import operator as o\no.add(1, 2)"},
    {"FormatField", "py.indirect_attr 1:1", "'{0.__class__}'.format(1)",
     "'{0:.3f} {{a.b}}'.format(1)"},
    {"FormatFieldByName", "py.indirect_attr 2:1", "t = '{a.b}'\nt.format(a=1)",
     "t = '{a}'\nt.format(a=1.5)"},
    {"Monkeypatch", "py.monkeypatch 2:1", "import torch\ntorch.allclose = None",
     "def f(out):\n  out.grad = None"},
    {"MonkeypatchByAlias", "py.monkeypatch 3:1",
     "import torch.nn.functional as F\ng = F\ng.silu = None",
     "class S: pass\ng = S\ng.silu = None"},
    {"MonkeypatchBySetattr", "py.monkeypatch 2:1", "import torch\nsetattr(torch, 'allclose', None)",
     "def f(x):\n  setattr(x, 'grad', None)"},
    {"MonkeypatchByUnpacking", "py.monkeypatch 2:4", "import torch\na, torch.allclose = 1, 2",
     "a, b = 1, 2"},
    {"MonkeypatchByDelete", "py.monkeypatch 2:5", "import torch\ndel torch.allclose",
     "def f(x):\n  del x.a"},
    {"MonkeypatchByLoopTarget", "py.monkeypatch 2:5",
     "import torch\nfor torch.allclose in [1]: pass", "for x in [1]: pass"},
    {"Register", "py.register 2:1", "import torch\ntorch.library.impl('a', 'b')",
     "import torch\n@torch.library.custom_op('a::b', mutates_args=())\ndef f(): pass"},
    {"RegisterHook", "py.register 2:3", "def f(m):\n  m.register_forward_hook(f)",
     "def f(m):\n  m.register_buffer('a', 1)"},
    {"RegisterBackendWrite", "py.register 2:1",
     "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True", "import torch\nx = torch.finfo"},
    {"RegisterSeed", "py.register 2:1", "from torch import manual_seed as m\nm(1)",
     "import torch\ntorch.empty(1)"},
    {"NativeLoad", "py.native_load 1:25", "from torch.utils import cpp_extension",
     "from torch.nn import functional"},
    {"NativeLoadByGetattr", "py.native_load 2:1", "import torch\ngetattr(torch, 'hub').load('x')",
     "import torch\ngetattr(torch, 'ops')"},
    {"FileIo", "py.fileio 2:1", "import os\nos.memfd_create('x')", "import os\nos.path"},
    {"FileIoMethod", "py.fileio 2:3", "def f(x):\n  x.tofile('a')", "def f(x):\n  x.to('cuda')"},
    {"ProcessExit", "py.process_exit 3:1", "import os\nbye = os._exit\nbye(0)",
     "import os\nx = os.sep\nx"},
    {"ProcessExitBuiltin", "py.process_exit 1:1", "exit()", "def f(exit): exit()"},
    {"RaiseSystemExit", "py.process_exit 2:1", "E = SystemExit\nraise E(0)",
     "raise ValueError('x')"},
    {"MagicMethod", "py.magic_def 2:3", "class A:\n  def __getattr__(self, n): pass",
     "class A:\n  def __init__(self): pass"},
    {"MagicAssignment", "py.magic_def 2:3", "class A:\n  __del__ = print",
     "class A:\n  def f(self):\n    __del__ = 1"},
    {"Metaclass", "py.magic_def 1:9", "class A(metaclass=type): pass", "class A(object): pass"},
    {"ClassByCall", "py.magic_def 1:1", "type('A', (), {})", "type(1)"},
    {"StarImport", "py.starimport 1:1", "from math import *", "from math import sqrt"},
    {"LongConstant", "py.string_exec_hint 1:5",
     "x = 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODkrLw"
     "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODkrLw"
     "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODkrLw"
     "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODkrLw"
     "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODkrLw"
     "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODkrLw"
     "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODkrLw'",
     "x = 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNk'"},
    {"BinaryConstant", "py.string_exec_hint 1:5", "x = b'\\x7fELF'", "x = b'ELF'"},
    {"Cookie", "py.cookie 1:12", "#! coding: latin-1\nx = 1", "# -*- coding: utf-8 -*-\nx = 1"},
    {"AssembledName", "py.dyncode 1:5", "x = '__im' + 'port__'", "x = '__im' + 'porter'"},
    {"AssembledByJoin", "py.dyncode 1:5", "x = ''.join(['__glo', 'bals__'])",
     "x = ''.join(['a', 'b'])"},
    {"AssembledByFstring", "py.dyncode 2:5", "a = 'eva'\nx = f'{a}l'", "a = 'eva'\nx = f'{a}s'"},
    {"AssembledByReversal", "py.dyncode 1:5", "x = 'metsys'[::-1]", "x = 'matrix'[::-1]"},
    {"ResultCache", "py.torch_result_reuse 4:3",
     "import torch\ncache = {}\ndef f(x):\n  cache[x.data_ptr()] = 1",
     "cache = {}\ndef f(n):\n  cache[n] = 1"},
    {"ResultCacheByDefault", "py.torch_result_reuse 3:3",
     "import torch\ndef f(x, c=[]):\n  c.append(torch.empty(1))",
     "def f(x):\n  c = []\n  c.append(x)"},
    {"ResultGlobal", "py.torch_result_reuse 4:3",
     "last = None\ndef f(x):\n  global last\n  last = x", "def f(x):\n  last = x"},
    {"CaptureBranch", "py.capture_branch 2:4",
     "import torch\nif torch.cuda.is_current_stream_capturing(): pass",
     "import torch\ndef f(k): k(torch.cuda.current_stream().cuda_stream)"},
    {"CurrentStreamUsed", "py.capture_branch 2:4",
     "import torch\nif torch.cuda.current_stream(): pass",
     "import torch\ndef f(k):\n  s = torch.cuda.current_stream().cuda_stream\n  k(stream=s)"},
    {"ImportNotAllowed", "py.import_not_allowed 1:8", "import sglang", "import triton"},
    {"TorchName", "py.torch_name_not_allowed 2:1", "import torch\ntorch.compile",
     "import torch\ntorch.empty"},
    {"TopLevelCall", "py.toplevel 2:1", "import torch\ntorch.empty(1)",
     "import triton\nC = [triton.Config({}, num_warps=4)]\nN = max(1, 2)"},
    {"TopLevelStatement", "py.toplevel 1:1", "for i in range(3): pass",
     "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import torch"},
    {"Decorator", "py.decorator 2:2", "import torch\n@torch.compile\ndef f(): pass",
     "import triton\ndef mine(f): return f\n@triton.jit\n@mine\ndef f(): pass"},
};
INSTANTIATE_TEST_SUITE_P(Added, PythonRule, ::testing::ValuesIn(kAdded),
                         [](const auto& rule) { return rule.param.name; });

constexpr const char* kTritonHead = "import triton\nimport triton.language as tl\n@triton.jit\n";
#define KERNEL(text) "import triton\nimport triton.language as tl\n@triton.jit\n" text

const RuleCase kTriton[] = {
    {"HostHelper", "triton.host_helper_in_jit 5:3",
     KERNEL("def k(n):\n  triton.next_power_of_2(n)"),
     KERNEL("def k(n):\n  triton.cdiv(n, 2)\ndef f(n): triton.next_power_of_2(n)")},
    {"Arange", "triton.arange_not_pow2 5:3", KERNEL("def k(n):\n  tl.arange(0, 96)"),
     KERNEL("def k(n):\n  tl.arange(0, 128)")},
    {"Mask", "triton.missing_mask 6:3",
     KERNEL("def k(p, n):\n  o = tl.arange(0, 64)\n  tl.load(p + o)"),
     KERNEL("def k(p, n):\n  o = tl.arange(0, 64)\n  tl.load(p + o, mask=o < n)\n  tl.load(p)")},
    {"Offset", "triton.int32_offset 6:8",
     KERNEL("def k(p, stride):\n  i = tl.program_id(0)\n  p = (i * stride)"),
     KERNEL("def k(p, stride):\n  i = tl.program_id(0).to(tl.int64)\n  p = (i * stride)")},
    {"Autotune", "triton.autotune 2:2",
     "import triton\n@triton.autotune([], [])\n@triton.jit\ndef k(): pass",
     "import triton\n@triton.jit\ndef k(): pass"},
};
INSTANTIATE_TEST_SUITE_P(Triton, PythonRule, ::testing::ValuesIn(kTriton),
                         [](const auto& rule) { return rule.param.name; });

TEST(PythonRules, CompatModeHasTheFloorOnly) {
  for (const RuleCase& rule : kAdded) {
    const ScanReport report = ScanPython(rule.bad, bundle::Mode::kCompat);
    EXPECT_THAT(Briefs(report), Not(Contains(rule.finding))) << rule.name;
  }
  EXPECT_THAT(Briefs(ScanPython("import socket", bundle::Mode::kCompat)),
              Contains("py.import_denied 1:8"));
  EXPECT_THAT(Briefs(ScanPython(std::string(kTritonHead) + "def k(n):\n  triton.next_power_of_2(n)",
                                bundle::Mode::kCompat)),
              Contains("triton.host_helper_in_jit 5:3"));
}

TEST(PythonRules, WarningsAndAdviceDoNotRefuse) {
  for (const char* source :
       {"import sglang", "import torch\nx = torch.compile", "import torch\ntorch.empty(1)",
        "class A:\n  def __eq__(self, o): return True"}) {
    const ScanReport report = ScanPython(source);
    EXPECT_FALSE(report.findings.empty()) << source;
    EXPECT_FALSE(report.refused()) << source;
  }
}

TEST(PythonRules, NamesTheSymbolAndTheMeaning) {
  const ScanReport report = ScanPython("import sys as s\ns.modules");
  ASSERT_TRUE(HasCode(report, "py.modules"));
  for (const Error& finding : report.findings) {
    if (finding.code.text() == "py.modules") {
      EXPECT_EQ(finding.symbol, "sys.modules");
    }
  }
}

TEST(PythonRules, CountsColumnsInCodePoints) {
  EXPECT_THAT(Briefs(ScanPython("\xC3\xA4 = '\xF0\x9F\x98\x80'; eval('1')")),
              Contains("py.builtin 1:10"));
}

TEST(PythonRules, FollowsAliasesBetweenFiles) {
  const ScanBundle bundle = MakeTestBundle(
      {{"a.py", "import sys as handy\n"}, {"b.py", "from a import handy as h\nh._getframe()\n"}});
  EXPECT_THAT(Briefs(ScanTestBundle(bundle)), Contains("py.frame 2:1"));
}

TEST(PythonRules, ResolvesLocalImports) {
  const TestFiles good = {{"k.py", "from pkg.sub import x\nimport pkg.sub\n"},
                          {"pkg/sub.py", "from . import other\nfrom .other import y\nx = 1\n"},
                          {"pkg/other.py", "y = 1\n"}};
  EXPECT_FALSE(HasCode(ScanTestBundle(MakeTestBundle(good)), "py.closure"));
  const TestFiles bad = {{"k.py", "import pkg.gone\n"}, {"pkg/sub.py", "x = 1\n"}};
  EXPECT_THAT(Briefs(ScanTestBundle(MakeTestBundle(bad))), Contains("py.closure 1:8"));
}

TEST(PythonRules, RefusesCompileBesideALocalCutlass) {
  const TestFiles files = {{"k.py", "import cutlass.cute as cute\ncute.compile(print)\n"},
                           {"cutlass/cute.py", "x = 1\n"}};
  EXPECT_THAT(Briefs(ScanTestBundle(MakeTestBundle(files))),
              Contains("py.compile_not_admitted 2:1"));
}

TEST(PythonRules, WarnsOfACachedEntryAndOfAWrapper) {
  ScanBundle bundle = MakeTestBundle(
      {{"k.py", "import functools\nimport torch\n@functools.cache\ndef entry(x):\n  return x\n"}});
  bundle.entry_points = {{"k.py", "entry"}};
  const ScanReport report = ScanTestBundle(bundle);
  EXPECT_THAT(Briefs(report), Contains("py.torch_result_reuse 4:1"));
  EXPECT_THAT(Briefs(report), Contains("triton.no_jit_reached 4:1"));
  EXPECT_FALSE(report.refused());
}

TEST(PythonRules, AcceptsAnOrdinaryTritonKernel) {
  const ScanReport report = ScanPython(R"(# SPDX-License-Identifier: Apache-2.0
"""silu and mul."""
from __future__ import annotations

import torch
import triton
import triton.language as tl

BLOCK = tl.constexpr(1024)


@triton.jit
def _kernel(x_ptr, out_ptr, d, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offs = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < d
    gate = tl.load(x_ptr + row * stride + offs, mask=mask).to(tl.float32)
    up = tl.load(x_ptr + row * stride + d + offs, mask=mask).to(tl.float32)
    tl.store(out_ptr + row * d + offs, gate * tl.sigmoid(gate) * up, mask=mask)


def silu_and_mul(x: torch.Tensor, out: torch.Tensor) -> None:
    rows, width = x.shape
    if out.dtype not in (torch.bfloat16, torch.float16, torch.float32):
        raise ValueError(f"dtype {out.dtype}")
    d = width // 2
    scratch = torch.empty_like(out)
    block = triton.next_power_of_2(min(d, 1024))
    _kernel[(rows, triton.cdiv(d, block))](x, out, d, x.stride(0), BLOCK=block)
    scratch.zero_()
)");
  EXPECT_THAT(Briefs(report), IsEmpty());
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_THAT(report.files[0].kernels, ::testing::ElementsAre("_kernel"));
  EXPECT_THAT(report.files[0].functions, ::testing::ElementsAre("_kernel", "silu_and_mul"));
  EXPECT_THAT(report.files[0].imports,
              ::testing::ElementsAre("__future__", "torch", "triton", "triton.language"));
}

}  // namespace
}  // namespace cacheon::policy
