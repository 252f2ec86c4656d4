// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of mappings has names in it that a worker chose.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "src/worker/fault.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t address = 0;
  if (size < sizeof address) return 0;
  std::memcpy(&address, data, sizeof address);
  const auto mapping = cacheon::worker::FindMapping(
      {reinterpret_cast<const char*>(data) + sizeof address, size - sizeof address}, address);
  if (mapping && (address < mapping->begin || address >= mapping->end)) std::abort();
  return 0;
}
