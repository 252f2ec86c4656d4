// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules over the tokens of one CUDA source file: section 4 of the static policy. Macros are not
// expanded: a call that is hidden behind several of them is for the build lane and the sandbox.

#include <string>
#include <vector>

#include "src/policy/cuda_lexer.h"
#include "src/policy/scan_findings.h"
#include "src/policy/scan_source.h"

namespace cacheon::policy {

struct CudaFile {
  const SourceText& source;
  const CudaTokens& tokens;
  const ScanBundle& bundle;

  SourcePlace PlaceOf(const CudaToken& token) const { return source.PlaceOf(token.offset); }
};

// What encloses a token. Code outside of functions runs when the library is loaded.
struct CudaContext {
  bool in_function = false;
  bool in_device_function = false;
  bool in_directive = false;
};
std::vector<CudaContext> CudaContexts(const CudaTokens& tokens);

// cu.dynamic_include, cu.include_next, cu.system_path, cu.local_undeclared, cu.includes_unit,
// cu.include_unresolved, cu.include_allowlist, cu.trigraph, cu.embed, cu.pragma, cu.line_predef.
// Appends the include targets to `includes`.
void CheckCudaDirectives(const CudaFile& file, Findings& findings,
                         std::vector<std::string>& includes);
// cu.host_call, cu.cuda_call, cu.clock, cu.embed, cu.asm, cu.pragma (as an operator).
void CheckCudaCalls(const CudaFile& file, const std::vector<CudaContext>& contexts,
                    Findings& findings);
// cu.static_init, cu.static_state.
void CheckCudaStatics(const CudaFile& file, const std::vector<CudaContext>& contexts,
                      Findings& findings);

// All of the above for one file; the facts of the file.
ScanFileFacts CheckCudaSource(const SourceText& source, const ScanBundle& bundle,
                              Findings& findings);

}  // namespace cacheon::policy
