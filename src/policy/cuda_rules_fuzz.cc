// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The CUDA rules over arbitrary text: no crash, and every token inside the source.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "src/policy/cuda_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cacheon::policy;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const SourceText source("k.cu", text);
  const CudaTokens tokens = LexCuda(text);
  for (const CudaToken& token : tokens.tokens) {
    if (token.offset > size) std::abort();
  }
  ScanBundle bundle;
  bundle.entries.push_back({.path = "k.cu", .content = text});
  Findings findings(cacheon::bundle::Mode::kStrict, "k.cu", &source);
  CheckCudaSource(source, bundle, findings);
  findings.Take();
  return 0;
}
