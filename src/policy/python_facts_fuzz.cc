// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary answers of the parser child: a tree that is accepted must be in order, and the rules
// must bear it, whatever shape no Python program has.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "src/policy/python_facts.h"
#include "src/policy/python_scan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cacheon::policy;
  constexpr cacheon::bundle::Mode kMode = cacheon::bundle::Mode::kStrict;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  auto source = std::make_unique<SourceText>("k.py", "x = 1\ny = 2\n\nz = 3\n");
  auto parse = ReadPythonFacts(json, source->line_lengths());
  if (!parse || parse->tree.size() == 0) return 0;
  const PythonTree& tree = parse->tree;
  for (std::int32_t i = 0; i < tree.size(); ++i) {
    if (tree[i].parent >= i || tree[i].end <= i || tree[i].end > tree.size()) std::abort();
  }
  ScanBundle bundle;
  bundle.entries.push_back({.path = "k.py"});
  ScanReport report;
  Findings findings(kMode, "k.py", source.get());
  std::vector<ParsedPython> files;
  files.push_back({std::move(source), std::move(findings), std::move(parse->tree)});
  CheckPythonBundle(bundle, kMode, std::move(files), report);
  return 0;
}
