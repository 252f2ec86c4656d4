// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The call ABI of each slot: the ordered resources that a direct artifact may bind. It carries no
// tensor dtype or rank; those belong to the slot's contract. Order, names, kinds and access are
// identity; capability fields and group capabilities are not.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cacheon/artifact/scalar_type.h"
#include "cacheon/core/json.h"

namespace cacheon::artifact {

enum class ResourceKind : std::uint8_t { kTensor, kScalar, kPointer, kStream, kGroup, kOpaque };
enum class Access : std::uint8_t { kRead, kWrite, kReadWrite };

struct CallResource {
  std::string_view name;  // `input.x`
  ResourceKind kind = ResourceKind::kTensor;
  Access access = Access::kRead;
  std::optional<ScalarType> scalar_type = {};           // scalars only
  std::string_view capability_field = {};               // a scalar with one may be specialised on
  std::string_view provider_resource = {};              // derived scalars: the group they come from
  std::string_view provider_projection = {};            // derived scalars: `rank` or `size`
  std::span<const std::string_view> capabilities = {};  // groups only
};

// Data of the program's lifetime; the registered ones never change.
struct CallAbi {
  std::string_view slot;
  std::span<const CallResource> resources;
  std::span<const std::string_view> call_args;  // positional order
  // What a prepare step may read and what it returns to run steps. No registered slot has either.
  std::span<const std::string_view> prepare_args = {};
  std::string_view prepare_result = {};
};

inline constexpr std::string_view kGroupNativeHandle = "group.native_handle.v1";
inline constexpr std::string_view kGroupPeerPtrTable = "group.peer_ptr_table.v1";

// All registered ABIs, sorted by slot. The two `moe.*` slots have none.
std::span<const CallAbi> CallAbis();
const CallAbi* FindCallAbi(std::string_view slot);

// The resource with this name, or nullptr.
const CallResource* FindResource(const CallAbi& abi, std::string_view name);
bool IsCallArg(const CallAbi& abi, std::string_view name);

std::string_view ResourceKindName(ResourceKind kind);
std::string_view AccessName(Access access);
inline bool IsWritable(Access access) { return access != Access::kRead; }

// {"slot","resources","call_args","prepare_args","prepare_result"}: the identity form.
Json CallAbiSnapshot(const CallAbi& abi);
std::string CallAbiDigest(const CallAbi& abi);

// {"call_abi","call_abi_sha256","dispatch_slot","schema","target_id"}; both ids are the slot. A
// sealed copy must equal it exactly.
Json TargetAuthority(const CallAbi& abi);
std::string TargetAuthorityDigest(const CallAbi& abi);

}  // namespace cacheon::artifact
