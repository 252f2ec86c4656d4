// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/materialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cacheon/artifact/evaluate.h"
#include "cacheon/artifact/fast_divmod.h"
#include "cacheon/artifact/limits.h"
#include "cacheon/artifact/scalar_pack.h"
#include "src/artifact/bytes.h"

namespace cacheon::artifact {
namespace {

using Bytes = std::span<std::byte>;

Status PackExpression(ScalarType type, const Expression& expression, LiveFrame frame, Bytes out) {
  ASSIGN_OR_RETURN(const ExprValue value, EvaluateExpression(expression, frame));
  return PackScalar(type, ToTypedScalar(value), out);
}

Status WriteField(const PackedField& field, LiveFrame frame, Bytes out) {
  if (const auto* scalar = std::get_if<PackedScalar>(&field.value)) {
    return PackExpression(scalar->type, scalar->expression, frame, out);
  }
  if (const auto* literal = std::get_if<PackedLiteral>(&field.value)) {
    std::ranges::copy(literal->bytes, out.begin());
    return {};
  }
  ASSIGN_OR_RETURN(const LiveTensor* tensor,
                   TensorAt(frame, std::get<PackedAddress>(field.value).binding));
  StoreLittle(tensor->address, out);
  return {};
}

Result<std::int32_t> DivisorOf(const Expression& expression, LiveFrame frame) {
  ASSIGN_OR_RETURN(const ExprValue value, EvaluateExpression(expression, frame));
  return CheckDivisor(value);
}

// Writes the value of each kind to `out`, which has the parameter's size and is zero.
struct Writer {
  LiveFrame frame;
  ParameterServices& services;
  Bytes out;

  Status operator()(const PointerParameter& pointer) const {
    ASSIGN_OR_RETURN(const std::uint64_t address, PointerAt(frame, pointer.binding));
    StoreLittle(address, out);
    return {};
  }
  Status operator()(const ScalarParameter& scalar) const {
    return PackExpression(scalar.type, scalar.expression, frame, out);
  }
  Status operator()(const PackedStruct& packed) const {
    for (const PackedField& field : packed.fields) {
      RETURN_IF_ERROR(
          WriteField(field, frame, out.subspan(static_cast<std::size_t>(field.offset))));
    }
    return {};
  }
  Status operator()(const TmaParameter& tma) const {
    ASSIGN_OR_RETURN(const TmaArguments arguments, EvaluateTma(tma.plan, frame));
    ASSIGN_OR_RETURN(const TmaBytes bytes, services.EncodeTma(arguments));
    std::ranges::copy(bytes, out.begin());
    return {};
  }
  Status operator()(const CutlassFastDivmod& divmod) const {
    ASSIGN_OR_RETURN(const std::int32_t divisor, DivisorOf(divmod.divisor, frame));
    std::ranges::copy(EncodeCutlassFastDivmod(divisor), out.begin());
    return {};
  }
  Status operator()(const CuteFastDivmod& divmod) const {
    ASSIGN_OR_RETURN(const std::int32_t divisor, DivisorOf(divmod.divisor, frame));
    std::ranges::copy(EncodeCuteFastDivmod(divisor), out.begin());
    return {};
  }
  Status operator()(const GroupHandle& group) const {
    if (group.binding >= frame.size()) {
      return Fail("ev.binding_missing", fmt::format("the frame has no binding {}", group.binding));
    }
    ASSIGN_OR_RETURN(const std::uint64_t handle,
                     services.ResolveGroup(group.projection, frame[group.binding]));
    StoreLittle(handle, out);
    return {};
  }
};

}  // namespace

Result<std::uint64_t> ParameterServices::ResolveGroup(GroupProjection projection,
                                                      const LiveValue& /*group*/) {
  return Fail("pm.group_provider",
              fmt::format("no resolver for `{}`", GroupProjectionName(projection)));
}

Result<std::uint64_t> PointerAt(LiveFrame frame, std::uint8_t binding) {
  if (binding < frame.size()) {
    if (const auto* address = std::get_if<std::uint64_t>(&frame[binding])) return *address;
    if (const auto* integer = std::get_if<std::int64_t>(&frame[binding])) {
      if (*integer >= 0) return static_cast<std::uint64_t>(*integer);
      return Fail("ln.pointer", fmt::format("{} is no address", *integer));
    }
  }
  ASSIGN_OR_RETURN(const LiveTensor* tensor, TensorAt(frame, binding));
  return tensor->address;
}

Result<std::vector<std::byte>> MaterializeParameter(const Parameter& parameter, LiveFrame frame,
                                                    ParameterServices& services) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(parameter.size));
  RETURN_IF_ERROR(std::visit(Writer{frame, services, bytes}, parameter.value));
  return bytes;
}

Result<std::vector<std::byte>> PackParameterBuffer(std::span<const ParameterSlot> slots,
                                                   std::span<const std::vector<std::byte>> values) {
  if (slots.size() != values.size()) {
    return Fail("ln.count", fmt::format("the kernel has {} parameters, the launch {}", slots.size(),
                                        values.size()));
  }
  std::vector<std::byte> buffer;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::size_t size = values[i].size();
    if (size < 1 || size > static_cast<std::size_t>(kMaxPlanParameterBytes)) {
      return Fail("ln.opaque", fmt::format("parameter {} has {} bytes", i, size));
    }
    if (size != slots[i].size) {
      return Fail("ln.width",
                  fmt::format("parameter {} has {} bytes in the kernel, the launch gives {}", i,
                              slots[i].size, size));
    }
    buffer.resize(std::max(buffer.size(), std::size_t{slots[i].offset} + size));
    std::ranges::copy(values[i], buffer.begin() + slots[i].offset);
  }
  return buffer;
}

}  // namespace cacheon::artifact
