// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The slot objects, one function each; the catalogue lists them.

#include "cacheon/slots/slot.h"

namespace cacheon::slots {

const Slot& SiluAndMul();
const Slot& RmsNorm();
const Slot& Sdpa();
const Slot& Decode();
const Slot& MsaBlockScore();
const Slot& MsaPrefill();

}  // namespace cacheon::slots
