// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "cacheon/slots/slot.h"
#include "src/slots/families.h"

namespace cacheon::slots {

std::span<const Slot* const> Catalogue() {
  static const std::array kSlots = {&SiluAndMul(),
                                    &RmsNorm(),
                                    &Sdpa(),
                                    &Decode(),
                                    &MsaBlockScore(),
                                    &MsaPrefill(),
                                    &FusedExperts(MoeModel::kGeneric),
                                    &FusedExpertsReduce(MoeModel::kGeneric),
                                    &AllReduce(),
                                    &ArResidualRmsNorm(),
                                    &MoeFinalize()};
  return kSlots;
}

const Slot* FindSlot(std::string_view id) {
  const auto slots = Catalogue();
  const auto found =
      std::ranges::find(slots, id, [](const Slot* slot) { return slot->contract().id; });
  return found == slots.end() ? nullptr : *found;
}

const Slot* FindSlot(std::string_view id, std::string_view model) {
  const Slot* generic = FindSlot(id);
  if (model != "MiniMax-M3" && model != "MiniMax-M3-NVFP4") return generic;
  if (generic == &FusedExperts(MoeModel::kGeneric)) return &FusedExperts(MoeModel::kMiniMaxM3);
  if (generic == &FusedExpertsReduce(MoeModel::kGeneric)) {
    return &FusedExpertsReduce(MoeModel::kMiniMaxM3);
  }
  return generic;
}

}  // namespace cacheon::slots
