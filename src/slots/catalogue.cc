// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "cacheon/slots/slot.h"
#include "src/slots/families.h"

namespace cacheon::slots {

std::span<const Slot* const> Catalogue() {
  static const std::array kSlots = {&SiluAndMul(), &RmsNorm(),       &Sdpa(),
                                    &Decode(),     &MsaBlockScore(), &MsaPrefill()};
  return kSlots;
}

const Slot* FindSlot(std::string_view id) {
  const auto slots = Catalogue();
  const auto found =
      std::ranges::find(slots, id, [](const Slot* slot) { return slot->contract().id; });
  return found == slots.end() ? nullptr : *found;
}

}  // namespace cacheon::slots
