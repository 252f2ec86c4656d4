// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/dlpack.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace cacheon::tensor {
namespace {

// Codes that are younger than Debian's header.
constexpr std::uint8_t kDlBool = 6;
constexpr std::uint8_t kDlFloat8E4M3Fn = 10;
constexpr std::uint8_t kDlFloat4E2M1Fn = 17;

constexpr DLDataType Type(int code, int bits, int lanes = 1) {
  return {.code = static_cast<std::uint8_t>(code),
          .bits = static_cast<std::uint8_t>(bits),
          .lanes = static_cast<std::uint16_t>(lanes)};
}

constexpr std::array kDTypes = {
    DType::kBool,     DType::kUInt8,   DType::kInt32,   DType::kInt64,      DType::kFloat16,
    DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kFloat8E4M3, DType::kFloat4E2M1x2};

Result<Layout> LayoutOf(const DLTensor& tensor) {
  if (tensor.ndim < 0 || tensor.ndim > kMaxDlpackRank ||
      (tensor.ndim > 0 && tensor.shape == nullptr)) {
    return Fail("tensor.rank",
                fmt::format("{} dimensions{}", tensor.ndim,
                            tensor.shape == nullptr ? " without a shape" : ""),
                {.key_path = "ndim"});
  }
  std::vector<std::int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  if (tensor.strides == nullptr) return DenseLayout(std::move(shape));
  Layout layout{.shape = std::move(shape),
                .strides = std::vector(tensor.strides, tensor.strides + tensor.ndim)};
  RETURN_IF_ERROR(SpanElements(layout));
  return layout;
}

// The address of the first element, when all elements lie in the address space.
Result<std::uintptr_t> FirstElement(const DLTensor& tensor, std::int64_t span, std::size_t item) {
  const auto base = reinterpret_cast<std::uintptr_t>(tensor.data);
  if (span > 0 && base == 0) {
    return Fail("tensor.null_data", "a tensor with elements has no memory", {.key_path = "data"});
  }
  std::uintptr_t first = 0;
  std::uintptr_t bytes = 0;
  std::uintptr_t end = 0;
  if (__builtin_add_overflow(base, tensor.byte_offset, &first) ||
      __builtin_mul_overflow(static_cast<std::uintptr_t>(span), item, &bytes) ||
      __builtin_add_overflow(first, bytes, &end)) {
    return Fail("tensor.overflow", "the tensor reaches over the end of the address space",
                {.key_path = "byte_offset"});
  }
  if (first % item != 0) {
    return Fail(
        "tensor.misaligned",
        fmt::format("the first element stands at {:#x}, which is no multiple of its {} bytes",
                    first, item),
        {.key_path = "byte_offset"});
  }
  return first;
}

}  // namespace

DLDataType DlpackType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return Type(kDlBool, 8);
    case DType::kUInt8:
      return Type(kDLUInt, 8);
    case DType::kInt32:
      return Type(kDLInt, 32);
    case DType::kInt64:
      return Type(kDLInt, 64);
    case DType::kFloat16:
      return Type(kDLFloat, 16);
    case DType::kBFloat16:
      return Type(kDLBfloat, 16);
    case DType::kFloat32:
      return Type(kDLFloat, 32);
    case DType::kFloat64:
      return Type(kDLFloat, 64);
    case DType::kFloat8E4M3:
      return Type(kDlFloat8E4M3Fn, 8);
    case DType::kFloat4E2M1x2:
      return Type(kDlFloat4E2M1Fn, 4, 2);
  }
  CACHEON_CHECK(false, "a value outside the enumeration");
}

std::optional<DType> DTypeOf(DLDataType type) {
  for (const DType dtype : kDTypes) {
    const DLDataType known = DlpackType(dtype);
    if (known.code == type.code && known.bits == type.bits && known.lanes == type.lanes) {
      return dtype;
    }
  }
  return std::nullopt;
}

DlpackTensor::DlpackTensor(TensorView view, DLDevice device)
    : view_(std::move(view)),
      tensor_{.data = view_.data,
              .device = device,
              .ndim = static_cast<int>(view_.layout.shape.size()),
              .dtype = DlpackType(view_.dtype),
              .shape = view_.layout.shape.data(),
              .strides = view_.layout.strides.data(),
              .byte_offset = 0} {}

Result<TensorView> ViewFromDlpack(const DLTensor& tensor, DLDevice device) {
  if (tensor.device.device_type != device.device_type ||
      tensor.device.device_id != device.device_id) {
    return Fail("tensor.device",
                fmt::format("the tensor is on device {}:{}, expected is {}:{}",
                            static_cast<int>(tensor.device.device_type), tensor.device.device_id,
                            static_cast<int>(device.device_type), device.device_id),
                {.key_path = "device"});
  }
  const std::optional<DType> dtype = DTypeOf(tensor.dtype);
  if (!dtype) {
    return Fail("tensor.dtype",
                fmt::format("no element type has code {}, {} bits and {} lanes", tensor.dtype.code,
                            tensor.dtype.bits, tensor.dtype.lanes),
                {.key_path = "dtype"});
  }
  ASSIGN_OR_RETURN(Layout layout, LayoutOf(tensor));
  ASSIGN_OR_RETURN(const std::int64_t span, SpanElements(layout));
  ASSIGN_OR_RETURN(const std::uintptr_t first, FirstElement(tensor, span, ItemSize(*dtype)));
  return TensorView{
      .data = reinterpret_cast<std::byte*>(first), .dtype = *dtype, .layout = std::move(layout)};
}

}  // namespace cacheon::tensor
