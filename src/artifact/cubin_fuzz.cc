// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a CUBIN: read, or refused with a place. What is read is told as JSON and findings,
// and its inventory matches itself.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cacheon/artifact/cubin.h"
#include "cacheon/artifact/cubin_inventory.h"
#include "cacheon/core/result.h"

namespace {

using namespace cacheon::artifact;

std::vector<KernelContract> ContractsOf(const Cubin& cubin) {
  std::vector<KernelContract> contracts;
  for (const CubinKernel& kernel : cubin.kernels) {
    KernelContract& contract = contracts.emplace_back();
    contract.name = kernel.name;
    for (const CubinParameter& parameter : kernel.parameters) {
      contract.parameter_sizes.push_back(static_cast<int>(parameter.size_bytes));
    }
  }
  std::ranges::sort(contracts, {}, &KernelContract::name);
  return contracts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto cubin = ReadCubin({reinterpret_cast<const char*>(data), size});
  if (!cubin) {
    CACHEON_CHECK(!cubin.error().message.empty(), "a refusal says nothing");
    return 0;
  }
  CACHEON_CHECK(!cubin->kernels.empty(), "a CUBIN without a kernel was read");
  CACHEON_CHECK(!cacheon::DocumentJson(CubinToJson(*cubin)).empty(), "a document is empty");
  for (const cacheon::Error& finding : CubinFindings(*cubin)) {
    CACHEON_CHECK(!cacheon::FormatError(finding).empty(), "a finding says nothing");
  }
  const KeyPath path("device_plan.kernels");
  CACHEON_CHECK(MatchInventory(ContractsOf(*cubin), *cubin, path).mismatches.empty(),
                "an inventory does not match itself");
  return 0;
}
