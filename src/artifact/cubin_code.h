// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one question that is put to machine code: does it call through a register? Instructions are
// 16 bytes from sm_70 on; the low 9 bits are the operation, the next 3 the form of its operands.

#include <cstdint>
#include <span>
#include <string_view>

namespace cacheon::artifact {

// Calls through a register in `code`, without those at `known_offsets` (sorted): the calls of the
// device's runtime, which are compiled to the same instructions.
std::uint32_t CountIndirectCalls(std::string_view code,
                                 std::span<const std::uint32_t> known_offsets);

}  // namespace cacheon::artifact
