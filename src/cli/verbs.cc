// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/cli/verbs.h"

#include <array>

namespace cacheon::cli {

std::span<const Verb* const> Verbs() {
  static constexpr std::array kVerbs = {
      &kSlots, &kTargets, &kNew,    &kManifest, &kResolve, &kScan,      &kHash,    &kInspect,
      &kPack,  &kUnpack,  &kVerify, &kReport,   &kCompare, &kReference, &kExplain, &kDoctor};
  return kVerbs;
}

}  // namespace cacheon::cli
