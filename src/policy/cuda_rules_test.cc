// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/policy/cuda_lexer.h"
#include "src/policy/scan_test_bundle.h"

namespace cacheon::policy {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// `bad` must have the finding, exactly there; `good` looks alike and must not have the code.
struct RuleCase {
  const char* name;
  const char* finding;  // "code line:column"
  const char* bad;
  const char* good;
};

ScanReport ScanCuda(const std::string& source, bundle::Mode mode = bundle::Mode::kStrict) {
  return ScanTestBundle(MakeTestBundle({{"k.cu", source}, {"tile.cuh", "#pragma once\n"}}), mode);
}

class CudaRule : public ::testing::TestWithParam<RuleCase> {};

TEST_P(CudaRule, FindsTheEvasionAndLeavesTheLookAlike) {
  const RuleCase& rule = GetParam();
  EXPECT_THAT(Briefs(ScanCuda(rule.bad)), Contains(rule.finding));
  const std::string finding = rule.finding;
  const ScanReport good = ScanCuda(rule.good);
  EXPECT_FALSE(HasCode(good, finding.substr(0, finding.find(' '))))
      << ::testing::PrintToString(Briefs(good));
}

const RuleCase kCases[] = {
    {"DynamicInclude", "cu.dynamic_include 2:2", "#define H <cstdio>\n#include H",
     "#include <cstdio> // H"},
    {"DynamicIncludeSpliced", "cu.dynamic_include 2:1", "# \\\ninclude HEADER",
     "# \\\ninclude <cstdio>"},
    {"DynamicIncludeInComment", "cu.dynamic_include 1:8", "/**/ # include \"a\" b",
     "// #include H\n/*\n#include H\n*/"},
    {"IncludeNext", "cu.include_next 1:2", "#include_next <math.h>", "#include <math.h>"},
    {"IncludeDigraph", "cu.include_next 1:1", "%:include <math.h>", "int a = 7 %::b;"},
    {"SystemPath", "cu.system_path 1:2", "#include <../../etc/passwd>", "#include <cub/cub.cuh>"},
    {"SystemPathAbsolute", "cu.system_path 1:2", "#include </etc/passwd>",
     "#include <cute/tensor.hpp>"},
    {"IncludesUnit", "cu.includes_unit 1:2", "#include \"./k.cu\"", "#include \"tile.cuh\""},
    {"Unresolved", "cu.include_unresolved 1:2", "#include \"../x.h\"",
     "#include \"cutlass/cutlass.h\""},
    {"AllowList", "cu.include_allowlist 1:2", "#include <unistd.h>", "#include <cuda_bf16.h>"},
    {"AllowListQuoted", "cu.include_allowlist 1:2", "#include \"unistd.h\"",
     "#include \"cutlass/gemm.h\""},
    {"Trigraph", "cu.trigraph 1:1", "?\?=define X", "const char* s = \"?\?=\";"},
    {"TrigraphSplice", "cu.trigraph 1:4", "// ?\?/\nint x;", "// what?\?!\nint x;"},
    {"DigraphDirective", "cu.trigraph 1:1", "%:define X 1", "#define X 1"},
    {"Incbin", "cu.embed 1:5", "asm(\".incbin \\\"/etc/passwd\\\"\");",
     "const char* s = \"see .incbinary\";"},
    {"IncbinByMacro", "cu.embed 1:11", "#define X \".incbin \"", "#define X \"incbin\""},
    {"HasInclude", "cu.embed 1:5", "#if __has_include(<a>)\n#endif",
     "#if __CUDA_ARCH__ >= 900\n#endif"},
    {"EmbedDirective", "cu.embed 1:2", "#embed \"x\"", "#error embed"},
    {"AsmAtFileScope", "cu.asm 1:1", "asm(\"nop\");",
     "__device__ void f() { asm volatile(\"bar.sync 0;\"); }"},
    {"AsmInHostCode", "cu.asm 1:12", "void f() { __asm__(\"nop\"); }",
     "template <int N> __global__ void k() { if (N) { asm(\"ld.global.f32 %0, [%1];\" : : ); } }"},
    {"AsmDirective", "cu.asm 1:27", "__device__ void f() { asm(\".global .b32 x;\"); }",
     "__device__ void f() { asm(\"st.global.v4.f32 [%0];\\n\\t\" : : ); }"},
    {"Pragma", "cu.pragma 1:2", "#pragma comment(lib, \"x\")",
     "#pragma unroll 4\n#pragma GCC diagnostic push"},
    {"PragmaOperator", "cu.pragma 1:12", "void f() { _Pragma(\"GCC poison x\") }",
     "__device__ void f() { _Pragma(\"unroll\") for (;;) {} }"},
    {"Line", "cu.line_predef 1:2", "#line 7 \"other.cu\"", "int line = 7;"},
    {"LineMarker", "cu.line_predef 1:3", "# 7 \"other.cu\"", "#if 7\n#endif"},
    {"RedefineKeyword", "cu.line_predef 1:9", "#define const", "#define CONST const"},
    {"RedefineAssert", "cu.line_predef 1:8", "#undef assert", "#include <cassert>"},
    {"HostCall", "cu.host_call 1:12", "void f() { system(\"id\"); }", "void f() { q.system(1); }"},
    {"HostCallPointer", "cu.host_call 1:21", "void f() { auto p = dlsym; }",
     "void f() { auto p = dlsymbol; }"},
    {"HostCallSplit", "cu.host_call 1:12", "void f() { sys\\\ntem(\"id\"); }",
     "// system(\"id\")\nint x;"},
    {"HostCallPasted", "cu.host_call 2:14",
     "#define P(a, b) a##b\nvoid f() { P(sys, tem)(\"id\"); }",
     "#define P(a, b) a##b\nvoid f() { P(til, ed)(1); }"},
    {"HostCallGlobal", "cu.host_call 1:14", "void f() { ::open(\"a\", 0); }",
     "void f() { ns::open(1); int signal = 1; g(signal); }"},
    {"HostThread", "cu.host_call 1:17", "void f() { std::thread t(g); }",
     "void f() { my::thread t(g); }"},
    {"CudaCall", "cu.cuda_call 1:12", "void f() { cudaMalloc(&p, 1); }",
     "void f() { cudaGetLastError(); }"},
    {"StaticObject", "cu.static_init 2:1", "struct E { E(); };\nE e;",
     "struct E { E(); };\nint f(E e);"},
    {"StaticObjectOfClass", "cu.static_init 1:19", "struct E { E(); } e;",
     "typedef struct { int a; } E;"},
    {"StaticCall", "cu.static_init 1:1", "int x = f();", "int x = sizeof(int);"},
    {"StaticLambda", "cu.static_init 1:1", "static int x = [] { return 1; }();",
     "constexpr auto x = [] { return 1; };"},
    {"StaticInNamespace", "cu.static_init 1:15", "namespace a { std::string s{\"x\"}; }",
     "namespace a { constexpr int s{1}; void f(); }"},
    {"StaticArguments", "cu.static_init 1:1", "std::string s(\"x\");", "std::string s(int n);"},
    {"StaticListCall", "cu.static_init 1:1", "int x = g({1, 2});", "const int x[] = {1, 2};"},
    {"Constructor", "cu.static_init 1:16", "__attribute__((constructor)) void f() {}",
     "__attribute__((aligned(16))) int x;"},
    {"InitArray", "cu.static_init 1:24", "__attribute__((section(\".init_array\"))) int x;",
     "__attribute__((section(\".text\"))) int x;"},
    {"PyInit", "cu.static_init 1:18", "extern \"C\" void* PyInit_k() { return 0; }",
     "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"f\", &f); }"},
    {"RegistrationMacro", "cu.static_init 1:1", "TORCH_LIBRARY(a, m) {}",
     "void TORCH_CHECKED(int m) {}"},
    {"StaticState", "cu.static_state 1:1", "int calls = 0;", "const int calls = 0;"},
    {"FunctionStatic", "cu.static_state 1:12", "void f() { static int n; }",
     "void f() { static constexpr int n = 1; }"},
    {"DeviceGlobal", "cu.static_state 1:1", "__device__ int counter;",
     "__constant__ const int counter = 1;"},
    {"Clock", "cu.clock 1:32", "__device__ long f() { return   clock64(); }",
     "__device__ int f(int clock) { return clock; }"},
    {"ClockAsm", "cu.clock 1:27", "__device__ void f() { asm(\"mov.u32 %0, %clock;\" : : ); }",
     "__device__ void f() { asm(\"mov.u32 %0, %tid.x;\" : : ); }"},
    {"BidiControl", "tree.encoding 1:4", "// \xE2\x80\xAE", "// \xC3\xA4"},
};
INSTANTIATE_TEST_SUITE_P(Cases, CudaRule, ::testing::ValuesIn(kCases),
                         [](const auto& rule) { return rule.param.name; });

TEST(CudaRules, RefusesUndeclaredLocalIncludes) {
  ScanBundle bundle = MakeTestBundle({{"k.cu", "#include \"sub/t.cuh\"\n"}, {"sub/t.cuh", ""}});
  bundle.cuda_sources = {"k.cu"};
  EXPECT_THAT(Briefs(ScanTestBundle(bundle)), Contains("cu.local_undeclared 1:2"));
  EXPECT_THAT(Briefs(ScanTestBundle(bundle)), Contains("tree.cuda_undeclared 0:0"));
  bundle.cuda_sources = {"k.cu", "sub/t.cuh"};
  EXPECT_THAT(Briefs(ScanTestBundle(bundle)), IsEmpty());
}

TEST(CudaRules, ChecksTheNamesOfUnits) {
  EXPECT_THAT(Briefs(ScanTestBundle(MakeTestBundle({{"my-k.cu", ""}}))),
              ElementsAre("cu.stem 0:0"));
}

TEST(CudaRules, CompatModeHasTheFloorOnly) {
  EXPECT_THAT(
      Briefs(ScanCuda("asm(\"nop\");\nint x = f();\n#include <unistd.h>\n", bundle::Mode::kCompat)),
      IsEmpty());
  EXPECT_THAT(Briefs(ScanCuda("#include X\n", bundle::Mode::kCompat)),
              ElementsAre("cu.dynamic_include 1:2"));
}

TEST(CudaRules, StateAndClocksAreNotes) {
  const ScanReport report = ScanCuda("int calls = 0;\n__device__ long f() { return clock64(); }\n");
  EXPECT_EQ(report.findings.size(), 2U);
  EXPECT_FALSE(report.refused());
}

TEST(CudaRules, DeviceStateIsANoteWithoutGraphRows) {
  ScanBundle bundle = MakeTestBundle({{"k.cu", "void f() { cudaMalloc(&p, 1); }\n"}});
  EXPECT_TRUE(ScanTestBundle(bundle).refused());
  bundle.graph_safe = false;
  EXPECT_FALSE(ScanTestBundle(bundle).refused());
}

TEST(CudaRules, AcceptsAnOrdinaryKernel) {
  const ScanReport report = ScanCuda(R"cu(// silu and mul
#include <cuda_bf16.h>
#include <torch/extension.h>
#include "tile.cuh"

namespace {
constexpr int kThreads = 256;
enum class Mode : int { kA, kB = 2 };
struct Params { const void* x; void* out; int d; };
template <typename T> struct Traits { static constexpr int kVec = 8; using type = T; };

template <typename T>
__device__ __forceinline__ float Silu(T x) { return float(x) / (1.0f + __expf(-float(x))); }

template <typename T, int N = 4>
__global__ void __launch_bounds__(kThreads) Kernel(const T* __restrict__ x, T* out, int d) {
  extern __shared__ char smem[];
  const long row = blockIdx.x;
#pragma unroll
  for (int i = threadIdx.x; i < d; i += kThreads) out[row * d + i] = T(Silu(x[2 * row * d + i]));
  asm volatile("cp.async.wait_all;\n" ::: "memory");
}
}  // namespace

void Run(torch::Tensor x, torch::Tensor out) {
  TORCH_CHECK(x.is_cuda(), "x");
  auto stream = at::cuda::getCurrentCUDAStream();
  Kernel<float><<<x.size(0), kThreads, 0, stream>>>(x.data_ptr<float>(), out.data_ptr<float>(), 4);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &Run); }
)cu");
  EXPECT_THAT(Briefs(report), IsEmpty());
  EXPECT_THAT(report.files.at(0).kernels, ElementsAre("Kernel"));
  EXPECT_THAT(report.files.at(0).imports,
              ElementsAre("cuda_bf16.h", "torch/extension.h", "tile.cuh"));
}

TEST(CudaLexer, KeepsOffsetsPastSplices) {
  const CudaTokens lexed = LexCuda("a\\\nb \\  \r\n c R\"x(\"y)\" z)x\" 1'000");
  std::vector<std::string> texts;
  for (const CudaToken& token : lexed.tokens) texts.emplace_back(token.text);
  EXPECT_THAT(texts, ElementsAre("ab", "c", "\"y)\" z", "1'000"));
  EXPECT_EQ(lexed.tokens[0].offset, 0U);
  EXPECT_EQ(lexed.tokens[1].offset, 11U);
}

}  // namespace
}  // namespace cacheon::policy
