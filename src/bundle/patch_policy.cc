// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "cacheon/bundle/patch.h"
#include "cacheon/bundle/text.h"

namespace cacheon::bundle {
namespace {

constexpr std::string_view kTarget = "flashinfer";
constexpr std::string_view kSubtree = "flashinfer/data/csrc/";
constexpr std::string_view kPatchable = "flashinfer/data/csrc/fused_moe/";

}  // namespace

Status CheckPatchPolicy(std::string_view target, const Patch& patch) {
  if (target != kTarget) {
    return Fail("patch.policy_target", Quoted(target) + " may not be patched", {},
                fmt::format("the only dependency with a reviewed applier is `{}`", kTarget));
  }
  for (const PatchedFile& file : patch.files) {
    const Place where{.line = file.line, .column = 1};
    if (!file.path.starts_with(kSubtree)) {
      return Fail("patch.policy_subtree",
                  fmt::format("{} is outside of `{}`", Quoted(file.path), kSubtree), where,
                  fmt::format("patch files below `{}`", kPatchable));
    }
    if (!file.path.starts_with(kPatchable)) {
      return Fail("patch.policy_glob", Quoted(file.path) + " may not be patched", where,
                  fmt::format("patch files below `{}`", kPatchable));
    }
  }
  return {};
}

}  // namespace cacheon::bundle
