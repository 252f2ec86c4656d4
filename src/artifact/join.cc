// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The static join of a device plan with the bindings of its export. After it, every reference of
// the plan names a binding of the kind that it needs.

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "cacheon/artifact/call_abi.h"
#include "cacheon/artifact/device_plan.h"
#include "cacheon/artifact/limits.h"

namespace cacheon::artifact {
namespace {

class Joiner {
 public:
  Joiner(const std::vector<Binding>& bindings,
         std::span<const std::string_view> provider_capabilities)
      : bindings_(bindings), provider_capabilities_(provider_capabilities) {}

  Status Launch(const LaunchPlan& launch, const KeyPath& path) const;

 private:
  Status Require(std::uint8_t index, std::initializer_list<BindingKind> kinds,
                 std::string_view user, const KeyPath& path) const;
  Status Expr(const Expression& expression, const KeyPath& path) const;
  Status Exprs(const std::vector<Expression>& list, const KeyPath& path) const;
  Status Dims(const Dim3Plan& dims, const KeyPath& path) const;
  Status Stream(const LaunchPlan& launch, const KeyPath& path) const;
  Status Fields(const PackedStruct& packed, const KeyPath& path) const;
  Status Tma(const TmaPlan& tma, const KeyPath& path) const;
  Status Group(const GroupHandle& group, const KeyPath& path) const;
  Status Param(const Parameter& parameter, const KeyPath& path) const;

  const std::vector<Binding>& bindings_;
  std::span<const std::string_view> provider_capabilities_;
};

Status Joiner::Require(std::uint8_t index, std::initializer_list<BindingKind> kinds,
                       std::string_view user, const KeyPath& path) const {
  if (index >= bindings_.size()) {
    return Fail(
        "jn.missing",
        fmt::format("binding {} does not exist: the export has {}", index, bindings_.size()),
        path.where());
  }
  const BindingKind kind = bindings_[index].kind;
  if (std::ranges::find(kinds, kind) != kinds.end()) return {};
  return Fail(
      "jn.kind",
      fmt::format("{} cannot use binding {}, a {} binding", user, index, BindingKindName(kind)),
      path.where());
}

Status Joiner::Expr(const Expression& expression, const KeyPath& path) const {
  for (std::size_t i = 0; i < expression.nodes.size(); ++i) {
    const ExprNode& node = expression.nodes[i];
    if (!IsSource(node.op)) continue;
    const BindingKind kind = IsTensorSource(node.op) ? BindingKind::kTensor : BindingKind::kScalar;
    RETURN_IF_ERROR(
        Require(node.binding, {kind}, ExprOpName(node.op), path.Key("nodes").At(i).Key("binding")));
  }
  return {};
}

Status Joiner::Exprs(const std::vector<Expression>& list, const KeyPath& path) const {
  for (std::size_t i = 0; i < list.size(); ++i) RETURN_IF_ERROR(Expr(list[i], path.At(i)));
  return {};
}

Status Joiner::Dims(const Dim3Plan& dims, const KeyPath& path) const {
  RETURN_IF_ERROR(Expr(dims.x, path.Key("x")));
  RETURN_IF_ERROR(Expr(dims.y, path.Key("y")));
  return Expr(dims.z, path.Key("z"));
}

Status Joiner::Stream(const LaunchPlan& launch, const KeyPath& path) const {
  if (!launch.stream_binding) return {};
  const std::uint8_t index = *launch.stream_binding;
  if (index < bindings_.size() && bindings_[index].kind == BindingKind::kStream) return {};
  return Fail("jn.stream", fmt::format("binding {} is no stream binding", index), path.where(),
              "bind { source = \"stream.current\", kind = \"stream\" } and give its index");
}

Status Joiner::Fields(const PackedStruct& packed, const KeyPath& path) const {
  for (std::size_t i = 0; i < packed.fields.size(); ++i) {
    const PackedField& field = packed.fields[i];
    const KeyPath field_path = path.At(i);
    if (const auto* scalar = std::get_if<PackedScalar>(&field.value)) {
      RETURN_IF_ERROR(Expr(scalar->expression, field_path.Key("expression")));
    } else if (const auto* address = std::get_if<PackedAddress>(&field.value)) {
      RETURN_IF_ERROR(Require(address->binding, {BindingKind::kTensor}, "a packed address",
                              field_path.Key("tensor_binding")));
    }
  }
  return {};
}

Status Joiner::Tma(const TmaPlan& tma, const KeyPath& path) const {
  RETURN_IF_ERROR(
      Require(tma.binding, {BindingKind::kTensor}, "a tensor map", path.Key("binding")));
  RETURN_IF_ERROR(Exprs(tma.global_dims, path.Key("global_dims")));
  RETURN_IF_ERROR(Exprs(tma.global_strides, path.Key("global_strides")));
  RETURN_IF_ERROR(Exprs(tma.box_dims, path.Key("box_dims")));
  return Exprs(tma.element_strides, path.Key("element_strides"));
}

Status Joiner::Group(const GroupHandle& group, const KeyPath& path) const {
  RETURN_IF_ERROR(
      Require(group.binding, {BindingKind::kGroup}, "a group handle", path.Key("binding")));
  const std::string_view capability =
      group.projection == GroupProjection::kNativeHandle ? kGroupNativeHandle : kGroupPeerPtrTable;
  if (std::ranges::find(provider_capabilities_, capability) != provider_capabilities_.end()) {
    return {};
  }
  return Fail("jn.capability", fmt::format("the provider lacks `{}`", capability), path.where());
}

Status Joiner::Param(const Parameter& parameter, const KeyPath& path) const {
  if (const auto* pointer = std::get_if<PointerParameter>(&parameter.value)) {
    return Require(pointer->binding,
                   {BindingKind::kTensor, BindingKind::kPointer, BindingKind::kOpaque},
                   "a pointer parameter", path.Key("binding"));
  }
  if (const auto* scalar = std::get_if<ScalarParameter>(&parameter.value)) {
    return Expr(scalar->expression, path.Key("expression"));
  }
  if (const auto* packed = std::get_if<PackedStruct>(&parameter.value)) {
    return Fields(*packed, path.Key("fields"));
  }
  if (const auto* tma = std::get_if<TmaParameter>(&parameter.value)) {
    return Tma(tma->plan, path.Key("tma"));
  }
  if (const auto* cutlass = std::get_if<CutlassFastDivmod>(&parameter.value)) {
    return Expr(cutlass->divisor, path.Key("expression"));
  }
  if (const auto* cute = std::get_if<CuteFastDivmod>(&parameter.value)) {
    return Expr(cute->divisor, path.Key("expression"));
  }
  return Group(std::get<GroupHandle>(parameter.value), path);
}

Status Joiner::Launch(const LaunchPlan& launch, const KeyPath& path) const {
  RETURN_IF_ERROR(Stream(launch, path.Key("stream_binding")));
  RETURN_IF_ERROR(Dims(launch.grid, path.Key("grid")));
  RETURN_IF_ERROR(Dims(launch.block, path.Key("block")));
  if (launch.cluster) RETURN_IF_ERROR(Dims(*launch.cluster, path.Key("cluster")));
  RETURN_IF_ERROR(Expr(launch.shared_mem_bytes, path.Key("shared_mem_bytes")));
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    RETURN_IF_ERROR(Param(launch.parameters[i], path.Key("parameters").At(i)));
  }
  return {};
}

}  // namespace

Status JoinDevicePlan(const DevicePlan& plan, const std::vector<Binding>& bindings,
                      std::span<const std::string_view> provider_capabilities,
                      const KeyPath& path) {
  if (bindings.size() > kMaxBindings) {
    return Fail(
        "jn.count",
        fmt::format("a plan joins at most {} bindings, not {}", kMaxBindings, bindings.size()),
        path.where());
  }
  const Joiner joiner(bindings, provider_capabilities);
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    RETURN_IF_ERROR(joiner.Launch(plan.launches[i], path.Key("launches").At(i)));
  }
  return {};
}

}  // namespace cacheon::artifact
