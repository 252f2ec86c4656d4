// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The system-call filter of the parser child: what CPython needs to start, read and answer. All
// else fails with EPERM, so that a newer interpreter that tries something optional still starts.

#include <linux/filter.h>

#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::policy {

// A BPF program that can be loaded between fork and exec.
class ChildFilter {
 public:
  explicit ChildFilter(std::vector<sock_filter> code) : code_(std::move(code)) {}
  // Points into this object.
  sock_fprog program() const {
    return {static_cast<unsigned short>(code_.size()), const_cast<sock_filter*>(code_.data())};
  }

 private:
  std::vector<sock_filter> code_;
};

// Built once per process. Code: scan.parser_unavailable.
Result<const ChildFilter*> ParserChildFilter();

}  // namespace cacheon::policy
