// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/cubin_inventory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/artifact/cubin_images_for_test.h"

namespace cacheon::artifact {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr KeyPath kPath("device_plan.kernels");

CubinKernel Physical(std::string name, std::vector<std::uint32_t> sizes) {
  CubinKernel kernel{.name = std::move(name), .parameters = {}};
  for (const std::uint32_t size : sizes) kernel.parameters.push_back({.size_bytes = size});
  return kernel;
}

Cubin CubinOf(std::vector<CubinKernel> kernels) {
  Cubin cubin;
  cubin.kernels = std::move(kernels);
  return cubin;
}

TEST(MatchInventory, PairsKernelsInTheOrderOfTheirNames) {
  const Cubin cubin = CubinOf({Physical("_Zz", {4}), Physical("_Za", {8}), Physical("\x7ez", {2})});
  const std::vector<KernelContract> logical = {{"first", {8}}, {"second", {4}}, {"third", {2}}};
  const InventoryMatch match = MatchInventory(logical, cubin, kPath);
  EXPECT_THAT(match.physical, ElementsAre(1, 0, 2));
  EXPECT_THAT(match.mismatches, IsEmpty());
}

TEST(MatchInventory, AcceptsACompiledKernelWithItsWidths) {
  const auto cubin = ReadCubin(CubinData("rmsnorm.sm_90a.cubin"));
  const std::vector<KernelContract> logical = {{"rmsnorm_kernel", {8, 8, 4, 4, 16}}};
  EXPECT_THAT(MatchInventory(logical, cubin.value(), kPath).mismatches, IsEmpty());
}

TEST(MatchInventory, ExplainsAWidthByName) {
  const Cubin cubin = CubinOf({Physical("rmsnorm_kernel", {8, 8, 4, 8})});
  const std::vector<KernelContract> logical = {{"rmsnorm_kernel", {8, 8, 4, 4}}};
  const InventoryMatch match = MatchInventory(logical, cubin, kPath);
  ASSERT_THAT(match.mismatches, SizeIs(1));
  EXPECT_EQ(match.mismatches[0].code.text(), "cubin.parameter_size");
  EXPECT_EQ(match.mismatches[0].message,
            "parameter 3 of `rmsnorm_kernel` is 8 bytes in the CUBIN, the plan says 4");
  EXPECT_EQ(match.mismatches[0].where.key_path, "device_plan.kernels[0].parameter_sizes[3]");
  EXPECT_EQ(match.mismatches[0].hint, "");
}

TEST(MatchInventory, SaysBothNamesWhereTheyDiffer) {
  const Cubin cubin = CubinOf({Physical("_Z1kv", {8})});
  const InventoryMatch match = MatchInventory(std::vector<KernelContract>{{"k", {}}}, cubin, kPath);
  ASSERT_THAT(match.mismatches, SizeIs(1));
  EXPECT_EQ(match.mismatches[0].code.text(), "cubin.parameter_count");
  EXPECT_EQ(match.mismatches[0].message,
            "`k` (in the CUBIN `_Z1kv`) has 1 parameters in the CUBIN, the plan says 0");
  EXPECT_EQ(match.mismatches[0].where.key_path, "device_plan.kernels[0].parameter_sizes");
  EXPECT_NE(match.mismatches[0].hint, "");
}

TEST(MatchInventory, TellsEveryMismatch) {
  const Cubin cubin = CubinOf({Physical("a", {4, 4, 1}), Physical("b", {2})});
  const std::vector<KernelContract> logical = {{"a", {8, 8}}, {"b", {1}}};
  EXPECT_THAT(MatchInventory(logical, cubin, kPath).mismatches, SizeIs(4));
}

TEST(MatchInventory, WantsTheWholeInventory) {
  const Cubin cubin = CubinOf({Physical("a", {}), Physical("hidden", {})});
  const InventoryMatch match = MatchInventory(std::vector<KernelContract>{{"a", {}}}, cubin, kPath);
  ASSERT_THAT(match.mismatches, SizeIs(1));
  EXPECT_EQ(match.mismatches[0].code.text(), "cubin.kernel_count");
  EXPECT_EQ(match.mismatches[0].where.key_path, "device_plan.kernels");
  EXPECT_EQ(match.mismatches[0].hint, "the plan does not name hidden");
  EXPECT_THAT(match.physical, IsEmpty());
}

TEST(MatchInventory, SeesOneByteOfOneParameter) {
  const std::string image = CubinData("rmsnorm.sm_90a.cubin");
  constexpr std::uint64_t kSizeWord = 12;
  constexpr std::uint32_t kOneByte = 1U << 18U;
  const std::uint64_t at = RecordAt(image, ".nv.info.rmsnorm_kernel", 0x17) + kSizeWord;
  const auto cubin = ReadCubin(WithValue(image, at, LoadAt<std::uint32_t>(image, at) - kOneByte));
  const std::vector<KernelContract> logical = {{"rmsnorm_kernel", {8, 8, 4, 4, 16}}};
  const InventoryMatch match = MatchInventory(logical, cubin.value(), kPath);
  ASSERT_THAT(match.mismatches, SizeIs(1));
  EXPECT_EQ(match.mismatches[0].message,
            "parameter 4 of `rmsnorm_kernel` is 15 bytes in the CUBIN, the plan says 16");
}

}  // namespace
}  // namespace cacheon::artifact
