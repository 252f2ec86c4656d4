// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// All Python of one bundle: each file is parsed by itself, the rules then see every file, because
// what one module exports another may use under a new name.

#include <memory>
#include <vector>

#include "src/policy/python_facts.h"
#include "src/policy/python_parser.h"
#include "src/policy/scan_findings.h"
#include "src/policy/scan_source.h"

namespace cacheon::policy {

struct ParsedPython {
  std::unique_ptr<SourceText> source;  // `findings` points to it
  Findings findings;
  PythonTree tree;  // empty when the file was not parsed
};

// Pre-pass and parse. Codes of findings: those of CheckBeforeParsing, py.syntax, py.version,
// py.parse_limit. Fails with scan.parser_unavailable.
Result<ParsedPython> ParsePython(const ScanEntry& entry, bundle::Mode mode, PythonParser& parser);

// Runs the rules over all files of a bundle and adds to `report`.
void CheckPythonBundle(const ScanBundle& bundle, bundle::Mode mode, std::vector<ParsedPython> files,
                       ScanReport& report);

}  // namespace cacheon::policy
