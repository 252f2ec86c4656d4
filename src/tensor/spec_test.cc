// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/tensor/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace cacheon::tensor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

alignas(64) std::byte memory[256];

TensorSpec Padded() {
  return {.name = "out",
          .shape = {3, 5},
          .dtype = DType::kBFloat16,
          .strides = StridePolicy::kStrided,
          .stride_padding = 3,
          .alignment_bytes = 16};
}

BoundTensor Bound() {
  return {.name = "out",
          .view = {memory, DType::kBFloat16, {{3, 5}, {8, 1}}},
          .storage = memory,
          .storage_bytes = sizeof memory};
}

void ExpectRefusal(const Status& status, Code code, std::string_view key_path) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, code);
  EXPECT_EQ(status.error().where.key_path, key_path);
}

TEST(TensorSpec, RefusesPaddingThatDoesNotFitThePolicy) {
  TensorSpec spec = Padded();
  spec.stride_padding = -1;
  ExpectRefusal(CheckSpec(spec), "tensor.spec", "out.stride_padding");
  spec.stride_padding = 1;
  spec.strides = StridePolicy::kContiguous;
  ExpectRefusal(CheckSpec(spec), "tensor.spec", "out.stride_padding");
}

TEST(TensorSpec, RefusesAlignmentsThatAreNoPowersOfTwo) {
  for (const std::int64_t bytes : {-8, 0, 3, 24}) {
    TensorSpec spec = Padded();
    spec.alignment_bytes = bytes;
    ExpectRefusal(CheckSpec(spec), "tensor.spec", "out.alignment_bytes");
  }
}

TEST(TensorSpec, RefusesNegativeDims) {
  TensorSpec spec = Padded();
  spec.shape = {3, -5};
  ExpectRefusal(CheckSpec(spec), "tensor.negative_dim", "shape[1]");
}

TEST(RepresentativeLayout, IsDenseOrPadded) {
  TensorSpec spec = Padded();
  EXPECT_THAT(RepresentativeLayout(spec)->strides, ElementsAre(8, 1));
  spec.strides = StridePolicy::kContiguous;
  spec.stride_padding = 0;
  EXPECT_THAT(RepresentativeLayout(spec)->strides, ElementsAre(5, 1));
}

TEST(StorageBytes, HasRoomToAlignTheFirstElement) {
  EXPECT_EQ(StorageBytes(Padded()), (2 * 8 + 4 + 1 + 16 / 2) * 2);
  EXPECT_EQ(StorageBytes({.name = "x", .shape = {0, 4}}), (1 + 1) * 4);
  EXPECT_EQ(StorageBytes({.name = "x", .shape = {}, .alignment_bytes = 64}), (1 + 16) * 4);
}

TEST(StorageBytes, RefusesOverflow) {
  TensorSpec spec{.name = "x", .shape = {std::numeric_limits<std::int64_t>::max() / 2}};
  const Result<std::int64_t> bytes = StorageBytes(spec);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, Code("tensor.overflow"));
  EXPECT_EQ(bytes.error().where.key_path, "x.shape");
}

TEST(CheckTensor, AcceptsWhatTheSpecDemands) { EXPECT_TRUE(CheckTensor(Padded(), Bound())); }

TEST(CheckTensor, NamesTheFieldThatDiffers) {
  BoundTensor shape = Bound();
  shape.view.layout = {{5, 3}, {8, 1}};
  ExpectRefusal(CheckTensor(Padded(), shape), "tensor.shape", "out.shape");
  BoundTensor dtype = Bound();
  dtype.view.dtype = DType::kFloat16;
  ExpectRefusal(CheckTensor(Padded(), dtype), "tensor.dtype", "out.dtype");
  BoundTensor misaligned = Bound();
  misaligned.view.data += 2;
  ExpectRefusal(CheckTensor(Padded(), misaligned), "tensor.misaligned", "out.data");
}

TEST(CheckTensor, WantsRowsThatDoNotOverlap) {
  BoundTensor tensor = Bound();
  tensor.view.layout.strides = {4, 1};
  ExpectRefusal(CheckTensor(Padded(), tensor), "tensor.strides", "out.strides");
  TensorSpec contiguous = Padded();
  contiguous.strides = StridePolicy::kContiguous;
  contiguous.stride_padding = 0;
  const Status status = CheckTensor(contiguous, Bound());
  ExpectRefusal(status, "tensor.strides", "out.strides");
  EXPECT_THAT(status.error().message, HasSubstr("[8, 1] of shape [3, 5] are not contiguous"));
}

TEST(CheckTensor, WantsEveryElementInsideTheStorage) {
  BoundTensor tensor = Bound();
  tensor.storage_bytes = 2 * (2 * 8 + 4 + 1);
  EXPECT_TRUE(CheckTensor(Padded(), tensor));
  tensor.storage_bytes -= 1;
  ExpectRefusal(CheckTensor(Padded(), tensor), "tensor.out_of_storage", "out.data");
  tensor = Bound();
  tensor.storage = memory + 16;
  ExpectRefusal(CheckTensor(Padded(), tensor), "tensor.out_of_storage", "out.data");
}

TEST(CheckAliasing, ForbidsDisjointOutputsToShareStorage) {
  const std::vector<TensorSpec> specs = {Padded()};
  const std::vector<BoundTensor> outputs = {Bound()};
  BoundTensor input = Bound();
  input.name = "x";
  ExpectRefusal(CheckAliasing(specs, outputs, {&input, 1}), "tensor.aliased", "out");
  input.storage = memory + 128;
  EXPECT_TRUE(CheckAliasing(specs, outputs, {&input, 1}));
  input = Bound();
  input.view.layout.shape = {0, 5};
  EXPECT_TRUE(CheckAliasing(specs, outputs, {&input, 1})) << "an empty tensor shares nothing";
}

TEST(CheckAliasing, OneDisjointSiblingIsEnough) {
  std::vector<TensorSpec> specs = {Padded(), Padded()};
  const std::vector<BoundTensor> outputs = {Bound(), Bound()};
  specs[0].aliasing = Aliasing::kMayAlias;
  ExpectRefusal(CheckAliasing(specs, outputs, {}), "tensor.aliased", "out");
  specs[1].aliasing = Aliasing::kMayAlias;
  EXPECT_TRUE(CheckAliasing(specs, outputs, {}));
}

TEST(CheckBinding, NamesEverythingThatChanged) {
  EXPECT_TRUE(CheckBinding(Bound(), Bound()));
  BoundTensor after = Bound();
  after.storage = memory + 64;
  after.storage_bytes = 64;
  after.view = {memory + 64, DType::kFloat16, {{15}, {2}}};
  const Status status = CheckBinding(Bound(), after);
  ExpectRefusal(status, "tensor.rebound", "out");
  EXPECT_THAT(status.error().message,
              HasSubstr("storage, storage size, address, dtype, shape, strides"));
}

}  // namespace
}  // namespace cacheon::tensor
