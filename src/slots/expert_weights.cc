// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/slots/expert_weights.h"

#include <cstddef>
#include <utility>

#include "cacheon/core/result.h"
#include "cacheon/tensor/nvfp4.h"

namespace cacheon::slots {
namespace {

using tensor::ConstTensorView;

class Dense final : public ExpertWeights {
 public:
  explicit Dense(const ConstTensorView& weights)
      : weights_(weights), rows_(weights.shape()[1]), columns_(weights.shape()[2]) {}

  const float* Rows(std::int64_t expert, std::int64_t first, std::int64_t count,
                    std::vector<float>& scratch) const override {
    const std::int64_t offset = (expert * rows_ + first) * columns_;
    const auto item = static_cast<std::int64_t>(tensor::ItemSize(weights_.dtype));
    const std::byte* begin = weights_.data + offset * item;
    if (weights_.dtype == tensor::DType::kFloat32) return reinterpret_cast<const float*>(begin);
    scratch.resize(static_cast<std::size_t>(count * columns_));
    tensor::WidenToFloat(weights_.dtype, begin, scratch);
    return scratch.data();
  }

 private:
  ConstTensorView weights_;
  std::int64_t rows_;
  std::int64_t columns_;
};

class Packed final : public ExpertWeights {
 public:
  explicit Packed(PackedMatrix matrix)
      : matrix_(std::move(matrix)),
        rows_(matrix_.packed.shape()[1]),
        columns_(matrix_.packed.shape()[2] * 2),
        scales_shape_{.rows = matrix_.scales.shape()[1], .columns = matrix_.scales.shape()[2]} {}

  const float* Rows(std::int64_t expert, std::int64_t first, std::int64_t count,
                    std::vector<float>& scratch) const override {
    scratch.resize(static_cast<std::size_t>(count * columns_));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::span<float> row = std::span(scratch).subspan(
          static_cast<std::size_t>(i * columns_), static_cast<std::size_t>(columns_));
      DequantizeRow(expert, first + i, row);
    }
    return scratch.data();
  }

 private:
  void DequantizeRow(std::int64_t expert, std::int64_t row, std::span<float> values) const {
    const std::int64_t stored =
        matrix_.stored_row.empty() ? row : matrix_.stored_row[static_cast<std::size_t>(row)];
    const std::int64_t blocks = columns_ / tensor::kNvfp4Block;
    const auto* scales =
        tensor::Elements<std::uint8_t>(matrix_.scales) + expert * scales_shape_.count();
    std::vector<std::uint8_t> linear(static_cast<std::size_t>(blocks));
    for (std::int64_t c = 0; c < blocks; ++c) {
      linear[static_cast<std::size_t>(c)] =
          scales[tensor::SwizzledScaleOffset(stored, c, scales_shape_)];
    }
    const auto* packed =
        tensor::Elements<std::uint8_t>(matrix_.packed) + (expert * rows_ + stored) * (columns_ / 2);
    const Status status =
        tensor::DequantizeNvfp4({packed, static_cast<std::size_t>(columns_ / 2)}, linear, columns_,
                                matrix_.outer[static_cast<std::size_t>(expert)], values);
    CACHEON_CHECK(status.has_value(), "the plan has checked that columns are whole blocks");
  }

  PackedMatrix matrix_;
  std::int64_t rows_;
  std::int64_t columns_;
  tensor::SwizzledShape scales_shape_;
};

}  // namespace

std::unique_ptr<ExpertWeights> DenseWeights(const ConstTensorView& weights) {
  return std::make_unique<Dense>(weights);
}

std::unique_ptr<ExpertWeights> PackedWeights(PackedMatrix matrix) {
  return std::make_unique<Packed>(std::move(matrix));
}

}  // namespace cacheon::slots
