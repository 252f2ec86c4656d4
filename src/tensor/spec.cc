// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace cacheon::tensor {
namespace {

Place At(std::string_view name, std::string_view field) {
  return {.key_path = fmt::format("{}.{}", name, field)};
}

std::string Text(std::span<const std::int64_t> values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

Status CheckAlignment(const TensorSpec& spec, const ConstTensorView& view) {
  const auto address = reinterpret_cast<std::uintptr_t>(view.data);
  if (address % static_cast<std::uintptr_t>(spec.alignment_bytes) == 0) return {};
  return Fail("tensor.misaligned",
              fmt::format("the first element stands at {:#x}, which is no multiple of {} bytes",
                          address, spec.alignment_bytes),
              At(spec.name, "data"));
}

// The elements of the view lie inside its storage.
Status CheckStorage(const TensorSpec& spec, const BoundTensor& tensor) {
  ASSIGN_OR_RETURN(const std::int64_t span, SpanElements(tensor.view.layout));
  if (span == 0) return {};
  const auto data = reinterpret_cast<std::uintptr_t>(tensor.view.data);
  const auto storage = reinterpret_cast<std::uintptr_t>(tensor.storage);
  const std::size_t offset = data - storage;
  std::size_t bytes = 0;
  const bool inside = data >= storage && offset <= tensor.storage_bytes &&
                      !__builtin_mul_overflow(static_cast<std::size_t>(span),
                                              ItemSize(tensor.view.dtype), &bytes) &&
                      bytes <= tensor.storage_bytes - offset;
  if (inside) return {};
  return Fail("tensor.out_of_storage",
              fmt::format("{} elements from byte {} on do not lie in a storage of {} bytes", span,
                          static_cast<std::ptrdiff_t>(offset), tensor.storage_bytes),
              At(spec.name, "data"));
}

bool IsEmpty(const BoundTensor& tensor) {
  const std::vector<std::int64_t>& shape = tensor.view.layout.shape;
  return std::ranges::find(shape, 0) != shape.end();
}

bool ShareStorage(const BoundTensor& a, const BoundTensor& b) {
  return a.storage == b.storage && !IsEmpty(a) && !IsEmpty(b);
}

std::unexpected<Error> Aliased(const BoundTensor& output, const BoundTensor& other) {
  return Fail("tensor.aliased",
              fmt::format("{} shares its storage with {}", output.name, other.name),
              {.key_path = output.name});
}

}  // namespace

Status CheckSpec(const TensorSpec& spec) {
  RETURN_IF_ERROR(ElementCount(spec.shape));
  if (spec.stride_padding < 0 ||
      (spec.stride_padding > 0 && spec.strides == StridePolicy::kContiguous)) {
    return Fail(
        "tensor.spec",
        fmt::format("a padding of {} does not go with the stride policy", spec.stride_padding),
        At(spec.name, "stride_padding"));
  }
  if (spec.alignment_bytes < 1 ||
      !std::has_single_bit(static_cast<std::uint64_t>(spec.alignment_bytes))) {
    return Fail("tensor.spec",
                fmt::format("an alignment of {} bytes is no power of two", spec.alignment_bytes),
                At(spec.name, "alignment_bytes"));
  }
  return {};
}

Result<Layout> RepresentativeLayout(const TensorSpec& spec) {
  RETURN_IF_ERROR(CheckSpec(spec));
  if (spec.strides == StridePolicy::kContiguous) return DenseLayout(spec.shape);
  return PaddedLayout(spec.shape, spec.stride_padding);
}

Result<std::int64_t> StorageBytes(const TensorSpec& spec) {
  ASSIGN_OR_RETURN(const Layout layout, RepresentativeLayout(spec));
  ASSIGN_OR_RETURN(const std::int64_t span, SpanElements(layout));
  const auto item = static_cast<std::int64_t>(ItemSize(spec.dtype));
  const std::int64_t slack =
      std::max<std::int64_t>(1, spec.alignment_bytes / std::gcd(spec.alignment_bytes, item));
  std::int64_t bytes = std::max<std::int64_t>(1, span);
  if (__builtin_add_overflow(bytes, slack, &bytes) || __builtin_mul_overflow(bytes, item, &bytes)) {
    return Fail("tensor.overflow",
                fmt::format("the storage of shape {} is too large", Text(spec.shape)),
                At(spec.name, "shape"));
  }
  return bytes;
}

Status CheckTensor(const TensorSpec& spec, const BoundTensor& tensor) {
  const ConstTensorView& view = tensor.view;
  if (view.layout.shape != spec.shape) {
    return Fail(
        "tensor.shape",
        fmt::format("the shape is {}, expected is {}", Text(view.shape()), Text(spec.shape)),
        At(spec.name, "shape"));
  }
  if (view.dtype != spec.dtype) {
    return Fail("tensor.dtype",
                fmt::format("the dtype is {}, expected is {}", Name(view.dtype), Name(spec.dtype)),
                At(spec.name, "dtype"));
  }
  const bool contiguous = spec.strides == StridePolicy::kContiguous;
  if (!(contiguous ? IsDense(view.layout) : IsNestedRowMajor(view.layout))) {
    return Fail("tensor.strides",
                fmt::format("strides {} of shape {} are not {}", Text(view.layout.strides),
                            Text(spec.shape),
                            contiguous ? "contiguous" : "row-major without shared places"),
                At(spec.name, "strides"));
  }
  RETURN_IF_ERROR(CheckAlignment(spec, view));
  return CheckStorage(spec, tensor);
}

Status CheckAliasing(std::span<const TensorSpec> specs, std::span<const BoundTensor> outputs,
                     std::span<const BoundTensor> inputs) {
  CACHEON_CHECK(specs.size() == outputs.size(), "every output has a spec");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool disjoint = specs[i].aliasing == Aliasing::kDisjoint;
    for (const BoundTensor& input : inputs) {
      if (disjoint && ShareStorage(outputs[i], input)) return Aliased(outputs[i], input);
    }
    for (std::size_t j = 0; j < i; ++j) {
      const bool either = disjoint || specs[j].aliasing == Aliasing::kDisjoint;
      if (either && ShareStorage(outputs[i], outputs[j])) return Aliased(outputs[i], outputs[j]);
    }
  }
  return {};
}

Status CheckBinding(const BoundTensor& before, const BoundTensor& after) {
  std::vector<std::string_view> changed;
  const auto note = [&](bool same, std::string_view field) {
    if (!same) changed.push_back(field);
  };
  note(before.storage == after.storage, "storage");
  note(before.storage_bytes == after.storage_bytes, "storage size");
  note(before.view.data == after.view.data, "address");
  note(before.view.dtype == after.view.dtype, "dtype");
  note(before.view.layout.shape == after.view.layout.shape, "shape");
  note(before.view.layout.strides == after.view.layout.strides, "strides");
  if (changed.empty()) return {};
  return Fail(
      "tensor.rebound",
      fmt::format("the call changed what the tensor is bound to: {}", fmt::join(changed, ", ")),
      {.key_path = before.name});
}

}  // namespace cacheon::tensor
