// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random NVFP4 weights that are drawn packed: no dense matrix is ever made.

#include <cstdint>
#include <span>
#include <vector>

#include "cacheon/slots/contract.h"
#include "src/slots/call_builder.h"
#include "src/slots/expert_weights.h"
#include "src/slots/moe_routing.h"

namespace cacheon::slots {

inline constexpr std::string_view kGateUpLayout = "gate_up";
inline constexpr std::string_view kInterleavedLayout = "up_gate_interleaved_64+sf_swizzled_128x4";

// The tensors of the tagged view, in the order in which a plan holds them.
std::vector<Argument> Nvfp4PrepareArguments();

// Adds them: numbers as a normal distribution with deviation 0.05 quantises, scales around its
// blocks' largest, outer scales 1, or from 1/2 to 2 by expert when `outer_scales`. Code:
// tensor.overflow.
Status AddNvfp4Weights(const MoeSizes& sizes, std::uint64_t seed, bool outer_scales,
                       CallBuilder& call);

// Whole blocks, whole groups of 64 when interleaved, and scales of the padded shape. Code:
// slot.shape.
Status CheckNvfp4(const CallPlan& plan);

// The matrices of the eight tensors of a plan's view.
struct Nvfp4Matrices {
  PackedMatrix w13;
  PackedMatrix w2;
};
Nvfp4Matrices MakeNvfp4Matrices(const CallPlan& plan,
                                std::span<const tensor::ConstTensorView> view);

}  // namespace cacheon::slots
