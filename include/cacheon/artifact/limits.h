// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every bound of a direct artifact in one place, so that a hostile document is measured against the
// same numbers wherever it is read. All ranges are inclusive.

#include <cstddef>
#include <cstdint>

namespace cacheon::artifact {

// Exports, bindings and lifecycle.
inline constexpr std::size_t kMaxExportsPerOp = 16;
inline constexpr std::size_t kMaxProfileInputs = 16;
inline constexpr std::size_t kMaxFactoryCharacters = 128;
inline constexpr std::int64_t kMaxPlanStep = 255;
inline constexpr std::size_t kMaxBindings = 64;
inline constexpr std::size_t kMaxPrelaunchOperations = 16;
inline constexpr std::size_t kMaxUnsqueezes = 8;
inline constexpr std::int64_t kMaxUnsqueezeDimension = 16;  // and its negative
inline constexpr std::int64_t kMaxAxis = 15;
inline constexpr int kMaxTensorRank = 16;
inline constexpr std::int64_t kMaxAlignmentBytes = 1 << 20;
inline constexpr std::int64_t kMaxLeadingDim = 16;
inline constexpr int kMaxAggregateDepth = 4;
inline constexpr std::size_t kMaxAggregateChildren = 16;
inline constexpr int kMaxAggregateLeaves = 32;
inline constexpr int kMaxAggregateDynamicLeaves = 16;

// Artifact resources.
inline constexpr std::size_t kMaxResources = 32;
inline constexpr std::size_t kMaxExtentFactors = 8;
inline constexpr std::int64_t kMaxFactor =
    INT32_MAX;  // static factor, upper bound, divisor, extent
inline constexpr std::int64_t kMaxResourceElements = std::int64_t{1} << 36;
inline constexpr std::int64_t kMaxResourceBytes = std::int64_t{1} << 36;
inline constexpr std::int64_t kMaxResourceBytesTotal = std::int64_t{1} << 37;
inline constexpr std::int64_t kMaxLiveBytes = std::int64_t{16} << 30;  // one process
inline constexpr std::int64_t kMaxAllocationKeys = 4096;               // one process

// Device plan.
inline constexpr std::size_t kMaxExpressionNodes = 128;
inline constexpr std::size_t kMaxExpressionOperands = 8;
inline constexpr std::size_t kMaxKernels = 1024;
inline constexpr std::size_t kMaxLaunches = 256;
inline constexpr std::size_t kMaxLaunchParameters = 256;
inline constexpr std::int64_t kMaxKernelParameterBytes = 32764;
inline constexpr std::int64_t kMaxPlanParameterBytes = 4096;
inline constexpr std::size_t kMaxPackedFields = 64;
inline constexpr std::size_t kMaxLiteralBytes = 4096;  // each field and all fields together
inline constexpr std::size_t kMaxKernelNameBytes = 4096;
inline constexpr std::int64_t kMaxDynamicSharedBytes = 1 << 20;
inline constexpr std::int64_t kMaxBlockVolume = 1024;
inline constexpr std::int64_t kMaxClusterVolume = 32;
inline constexpr std::int64_t kMaxLaunchExtent = UINT32_MAX;

// Compile profile and publication.
inline constexpr std::int64_t kMaxDegree = 65536;
inline constexpr std::size_t kMaxProfileConstants = 32;
inline constexpr std::int64_t kMaxProfileConstant = 1 << 20;
inline constexpr std::size_t kMaxProfileFileBytes = 1 << 20;
inline constexpr std::size_t kMaxPublicationPathBytes = 1024;
inline constexpr std::size_t kMaxPublicationPathDepth = 32;

}  // namespace cacheon::artifact
