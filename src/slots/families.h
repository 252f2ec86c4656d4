// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The slot objects, one function each; the catalogue lists them.

#include <cstdint>

#include "cacheon/slots/slot.h"

namespace cacheon::slots {

const Slot& SiluAndMul();
const Slot& RmsNorm();
const Slot& Sdpa();
const Slot& Decode();
const Slot& MsaBlockScore();
const Slot& MsaPrefill();
const Slot& AllReduce();
const Slot& ArResidualRmsNorm();
const Slot& MoeFinalize();

enum class MoeModel : std::uint8_t { kGeneric, kMiniMaxM3 };
const Slot& FusedExperts(MoeModel model);
const Slot& FusedExpertsReduce(MoeModel model);

}  // namespace cacheon::slots
