// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/dlpack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace cacheon::tensor {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

// A right DLTensor of 3 x 4 float32, to be broken field by field.
class Dlpack : public testing::Test {
 protected:
  static Error Refusal(const DLTensor& tensor) {
    const Result<TensorView> view = ViewFromDlpack(tensor);
    return view ? Error{.code = Code("internal.check"), .message = "was accepted"} : view.error();
  }

  alignas(8) float storage_[64] = {};
  std::int64_t shape_[2] = {3, 4};
  std::int64_t strides_[2] = {6, 1};
  DLTensor tensor_{.data = storage_,
                   .device = kDlpackCpu,
                   .ndim = 2,
                   .dtype = {.code = kDLFloat, .bits = 32, .lanes = 1},
                   .shape = shape_,
                   .strides = strides_,
                   .byte_offset = 0};
};

TEST_F(Dlpack, IsReadAsAView) {
  const TensorView view = ViewFromDlpack(tensor_).value();
  EXPECT_EQ(static_cast<void*>(view.data), storage_);
  EXPECT_EQ(view.dtype, DType::kFloat32);
  EXPECT_THAT(view.layout.shape, ElementsAre(3, 4));
  EXPECT_THAT(view.layout.strides, ElementsAre(6, 1));
}

TEST_F(Dlpack, WithoutStridesIsDense) {
  tensor_.strides = nullptr;
  EXPECT_THAT(ViewFromDlpack(tensor_)->layout.strides, ElementsAre(4, 1));
}

TEST_F(Dlpack, StartsAtItsByteOffset) {
  tensor_.byte_offset = 8;
  EXPECT_EQ(static_cast<void*>(ViewFromDlpack(tensor_)->data), storage_ + 2);
}

TEST_F(Dlpack, MayBeAScalarOrEmpty) {
  tensor_.ndim = 0;
  tensor_.shape = nullptr;
  tensor_.strides = nullptr;
  EXPECT_EQ(SpanElements(ViewFromDlpack(tensor_)->layout), 1);
  tensor_.ndim = 2;
  tensor_.shape = shape_;
  tensor_.data = nullptr;
  shape_[0] = 0;
  EXPECT_TRUE(ViewFromDlpack(tensor_));
}

TEST_F(Dlpack, RefusesAnotherDevice) {
  tensor_.device = {.device_type = kDLCUDA, .device_id = 0};
  EXPECT_EQ(Refusal(tensor_).code, Code("tensor.device"));
  EXPECT_EQ(Refusal(tensor_).where.key_path, "device");
  EXPECT_TRUE(ViewFromDlpack(tensor_, {.device_type = kDLCUDA, .device_id = 0}));
  EXPECT_FALSE(ViewFromDlpack(tensor_, {.device_type = kDLCUDA, .device_id = 1}));
}

TEST_F(Dlpack, RefusesUnknownTypesAndLanes) {
  tensor_.dtype.lanes = 4;
  EXPECT_EQ(Refusal(tensor_).code, Code("tensor.dtype"));
  EXPECT_EQ(Refusal(tensor_).where.key_path, "dtype");
  tensor_.dtype = {.code = kDLComplex, .bits = 64, .lanes = 1};
  EXPECT_EQ(Refusal(tensor_).code, Code("tensor.dtype"));
  tensor_.dtype = {.code = kDLInt, .bits = 4, .lanes = 1};
  EXPECT_EQ(Refusal(tensor_).code, Code("tensor.dtype"));
}

TEST_F(Dlpack, RefusesImpossibleRanks) {
  for (const int rank : {-1, kMaxDlpackRank + 1, std::numeric_limits<int>::max()}) {
    tensor_.ndim = rank;
    EXPECT_EQ(Refusal(tensor_).code, Code("tensor.rank"));
    EXPECT_EQ(Refusal(tensor_).where.key_path, "ndim");
  }
  tensor_.ndim = 2;
  tensor_.shape = nullptr;
  EXPECT_EQ(Refusal(tensor_).code, Code("tensor.rank"));
}

TEST_F(Dlpack, RefusesElementsWithoutMemory) {
  tensor_.data = nullptr;
  EXPECT_EQ(Refusal(tensor_).code, Code("tensor.null_data"));
  EXPECT_EQ(Refusal(tensor_).where.key_path, "data");
}

TEST_F(Dlpack, RefusesAFirstElementBetweenElements) {
  tensor_.byte_offset = 6;
  EXPECT_EQ(Refusal(tensor_).code, Code("tensor.misaligned"));
  EXPECT_EQ(Refusal(tensor_).where.key_path, "byte_offset");
}

TEST_F(Dlpack, RefusesNegativeDimsAndStrides) {
  shape_[1] = -4;
  EXPECT_EQ(Refusal(tensor_).code, Code("tensor.negative_dim"));
  EXPECT_EQ(Refusal(tensor_).where.key_path, "shape[1]");
  shape_[1] = 4;
  strides_[0] = -6;
  EXPECT_EQ(Refusal(tensor_).code, Code("tensor.negative_stride"));
  EXPECT_EQ(Refusal(tensor_).where.key_path, "strides[0]");
}

TEST_F(Dlpack, RefusesWhatReachesOverTheAddressSpace) {
  tensor_.byte_offset = ~std::uint64_t{0} - 3;
  EXPECT_EQ(Refusal(tensor_).code, Code("tensor.overflow"));
  tensor_.byte_offset = 0;
  strides_[0] = kHuge / 4;
  EXPECT_EQ(Refusal(tensor_).code, Code("tensor.overflow"));
  EXPECT_EQ(Refusal(tensor_).where.key_path, "byte_offset");
  strides_[0] = kHuge;
  EXPECT_EQ(Refusal(tensor_).code, Code("tensor.overflow"));
}

TEST(DlpackTypes, AreReadBack) {
  for (unsigned i = 0; i <= static_cast<unsigned>(DType::kFloat4E2M1x2); ++i) {
    const auto dtype = static_cast<DType>(i);
    const DLDataType type = DlpackType(dtype);
    EXPECT_EQ(DTypeOf(type), dtype) << Name(dtype);
    EXPECT_EQ(type.bits * type.lanes, 8 * static_cast<int>(ItemSize(dtype))) << Name(dtype);
  }
}

TEST(DlpackTensor, DescribesAViewThatComesBack) {
  std::vector<std::byte> storage(64);
  const TensorView view{storage.data(), DType::kBFloat16, {{3, 4}, {8, 1}}};
  const DlpackTensor exported(view);
  const TensorView back = ViewFromDlpack(exported.tensor()).value();
  EXPECT_EQ(back.data, view.data);
  EXPECT_EQ(back.dtype, view.dtype);
  EXPECT_EQ(back.layout, view.layout);
}

}  // namespace
}  // namespace cacheon::tensor
