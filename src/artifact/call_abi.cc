// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/call_abi.h"

#include <algorithm>
#include <utility>

#include "cacheon/core/result.h"

namespace cacheon::artifact {
namespace {

std::string DigestOf(std::string_view domain, const Json& payload) {
  Result<std::string> digest = DomainDigest(domain, payload);
  CACHEON_CHECK(digest.has_value(), "a registered call ABI has no canonical form");
  return *std::move(digest);
}

Json TextList(std::span<const std::string_view> names) {
  Json::Array list;
  for (const std::string_view name : names) list.emplace_back(name);
  return list;
}

Json ResourceRow(const CallResource& resource) {
  Json::Object row{{"name", resource.name},
                   {"kind", ResourceKindName(resource.kind)},
                   {"access", AccessName(resource.access)}};
  if (resource.scalar_type) row["scalar_type"] = ScalarTypeName(*resource.scalar_type);
  if (!resource.provider_resource.empty()) {
    row["provider_resource"] = resource.provider_resource;
    row["provider_projection"] = resource.provider_projection;
  }
  return row;
}

}  // namespace

const CallAbi* FindCallAbi(std::string_view slot) {
  const std::span<const CallAbi> abis = CallAbis();
  const auto found = std::ranges::lower_bound(abis, slot, {}, &CallAbi::slot);
  return found != abis.end() && found->slot == slot ? &*found : nullptr;
}

const CallResource* FindResource(const CallAbi& abi, std::string_view name) {
  const auto found = std::ranges::find(abi.resources, name, &CallResource::name);
  return found == abi.resources.end() ? nullptr : &*found;
}

bool IsCallArg(const CallAbi& abi, std::string_view name) {
  return std::ranges::find(abi.call_args, name) != abi.call_args.end();
}

std::string_view ResourceKindName(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::kTensor:
      return "tensor";
    case ResourceKind::kScalar:
      return "scalar";
    case ResourceKind::kPointer:
      return "pointer";
    case ResourceKind::kStream:
      return "stream";
    case ResourceKind::kGroup:
      return "group";
    case ResourceKind::kOpaque:
      return "opaque";
  }
  std::unreachable();
}

std::string_view AccessName(Access access) {
  switch (access) {
    case Access::kRead:
      return "read";
    case Access::kWrite:
      return "write";
    case Access::kReadWrite:
      return "readwrite";
  }
  std::unreachable();
}

Json CallAbiSnapshot(const CallAbi& abi) {
  Json::Array resources;
  for (const CallResource& resource : abi.resources) resources.push_back(ResourceRow(resource));
  return Json::Object{
      {"slot", abi.slot},
      {"resources", std::move(resources)},
      {"call_args", TextList(abi.call_args)},
      {"prepare_args", TextList(abi.prepare_args)},
      {"prepare_result", abi.prepare_result.empty() ? Json() : Json(abi.prepare_result)}};
}

std::string CallAbiDigest(const CallAbi& abi) {
  return DigestOf("cacheon.artifact-call-abi", CallAbiSnapshot(abi));
}

Json TargetAuthority(const CallAbi& abi) {
  return Json::Object{{"call_abi", CallAbiSnapshot(abi)},
                      {"call_abi_sha256", CallAbiDigest(abi)},
                      {"dispatch_slot", abi.slot},
                      {"schema", "cacheon.artifact-target-authority.v1"},
                      {"target_id", abi.slot}};
}

std::string TargetAuthorityDigest(const CallAbi& abi) {
  return DigestOf("cacheon.artifact-target-authority", TargetAuthority(abi));
}

}  // namespace cacheon::artifact
