// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a CUBIN says about itself, read on a CPU: kernels with their parameters and resources, and
// whatever lets a kernel keep or pass on something besides its outputs. Nothing is executed and no
// driver is asked; admission still takes parameter offsets from the driver.
//
// The layout of CUBINs is not published. Every number is measured against the vendor's own tools
// (tests/data/cubin/). Limit: an author can write an ELF image by hand, so what is read here is a
// claim of the file and no proof of what its instructions do.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/error.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

inline constexpr std::string_view kInspectSchema = "cacheon.inspect.v1";

// The largest image that a publication may hold.
inline constexpr std::uint64_t kMaxCubinBytes = std::uint64_t{1} << 30U;

using Extent3 = std::array<std::uint32_t, 3>;

// One parameter of a kernel; its ordinal is its place in the list.
struct CubinParameter {
  std::uint32_t offset_bytes = 0;  // in the parameter buffer
  std::uint32_t size_bytes = 0;
};

struct CubinKernel {
  std::string name;  // physical (mangled)
  std::vector<CubinParameter> parameters;
  std::uint32_t registers = 0;            // per thread
  std::uint64_t static_shared_bytes = 0;  // with the 1,024 that sm_90 and later reserve beside it
  std::uint32_t frame_bytes = 0;          // of the kernel itself, per thread
  std::uint32_t stack_bytes = 0;          // least stack with its known callees, per thread
  std::uint32_t barriers = 0;
  std::uint64_t constant_bytes = 0;  // bank 0: what the driver writes and the parameters
  std::uint64_t code_bytes = 0;
  std::optional<Extent3> max_block = {};         // __launch_bounds__, threads
  std::optional<Extent3> required_block = {};    // __block_size__, threads
  std::optional<Extent3> required_cluster = {};  // __cluster_dims__, blocks
  std::optional<std::uint32_t> max_cluster_blocks = {};
  std::vector<std::string> device_calls = {};  // functions of the device's runtime, sorted
  std::uint32_t indirect_calls = 0;            // calls through a register
};

// A named object in memory that every kernel of the module can write and that outlives a launch.
struct CubinGlobal {
  std::string name;  // empty: bytes of the section that no symbol names
  std::uint64_t size_bytes = 0;
  bool initialised = false;
};

// A constant bank that all kernels share. Bank 0 belongs to its kernel.
struct CubinConstantBank {
  std::uint32_t bank = 0;
  std::uint64_t size_bytes = 0;
};

struct Cubin {
  std::string architecture;          // `sm_90a`, as compilers spell it
  std::uint64_t size_bytes = 0;      // of the image
  std::vector<CubinKernel> kernels;  // in the order of the symbol table
  std::vector<CubinGlobal> globals;
  std::vector<CubinConstantBank> constant_banks;  // by bank
  std::vector<std::string> device_calls;          // of the whole module, sorted
  std::uint32_t indirect_calls = 0;               // outside kernels: in functions of their own
  std::uint64_t ptx_bytes = 0;                    // PTX text kept for debuggers
};

// Reads an image. Codes, with `header.FIELD`, `sections[I]`, `symbols[I]` or `kernels.NAME` as the
// key path: cubin.not_elf, cubin.header, cubin.truncated, cubin.limit, cubin.section, cubin.symbol,
// cubin.architecture, cubin.info, cubin.kernel, cubin.kernel_name, cubin.parameter.
Result<Cubin> ReadCubin(std::string_view image);

// What a reviewer should look at, in the order of the kernels: cubin.writable_global,
// cubin.device_heap, cubin.print (warnings), cubin.assertion, cubin.device_call,
// cubin.indirect_call, cubin.embedded_ptx (notes).
std::vector<Error> CubinFindings(const Cubin& cubin);

// The member `cubin` of a cacheon.inspect.v1 document (docs/schemas/cacheon.inspect.v1.json).
Json CubinToJson(const Cubin& cubin);

}  // namespace cacheon::artifact
