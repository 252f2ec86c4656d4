// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parses Python files through parser children. One child serves many files; a file that kills or
// stalls its child gets a finding, and the next file a new child.

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "src/policy/python_child_unsafe.h"
#include "src/policy/python_facts.h"
#include "src/policy/scan_source.h"

namespace cacheon::policy {

// One child and its replacement when it ends. Not thread-safe.
class PythonParser {
 public:
  explicit PythonParser(std::string interpreter) : interpreter_(std::move(interpreter)) {}

  // Starts the child early, so that it loads while the caller does something else.
  Status Prepare();
  // A child that ends without an answer is tried once more with a new one, since it may have ended
  // before it saw this file; the second time counts as kLimit, as do too much time
  // and a malformed answer. Code: scan.parser_unavailable.
  Result<PythonParse> Parse(const SourceText& source);
  // Minor version of the interpreter; 0 until the first answer.
  int version() const { return version_; }

 private:
  Status Greet();

  std::string interpreter_;
  std::optional<PythonChild> child_;
  bool greeted_ = false;
  int version_ = 0;
};

}  // namespace cacheon::policy
