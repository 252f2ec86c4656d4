// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// A fuzz target with one fault per word of input; shows that tools/fuzz_driver.cc reports each.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text == "crash") std::abort();
  if (text == "exit") _exit(4);
  if (text == "memory") std::vector<char>(std::size_t{600} << 20U, 'x').clear();
  volatile bool always = true;
  while (text == "hang" && always) continue;
  return 0;
}
