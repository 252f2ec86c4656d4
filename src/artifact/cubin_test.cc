// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/cubin.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "src/artifact/cubin_images_for_test.h"

namespace cacheon::artifact {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kImages[] = {"rmsnorm.sm_80", "rmsnorm.sm_90a", "rmsnorm.sm_100a",
                                        "launch_bounds.sm_90a", "stateful.sm_90a"};

Cubin Read(std::string_view name) {
  auto cubin = ReadCubin(CubinData(fmt::format("{}.cubin", name)));
  EXPECT_TRUE(cubin.has_value()) << name << ": " << FormatError(cubin.error());
  return cubin ? *cubin : Cubin();
}

const CubinKernel& Kernel(const Cubin& cubin, std::string_view name) {
  const auto found = std::ranges::find(cubin.kernels, name, &CubinKernel::name);
  if (found == cubin.kernels.end()) {
    ADD_FAILURE() << "no kernel is called " << name;
    static const CubinKernel kNone;
    return kNone;
  }
  return *found;
}

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// --- Against what the vendor's tools say ---------------------------------------------------------

TEST(Cubin, AgreesWithTheVendorsResourceUsage) {
  const std::regex kernel_line(" Function (\\S+):");
  const std::regex usage_line(
      "  REG:(\\d+) STACK:(\\d+) SHARED:(\\d+) LOCAL:(\\d+) CONSTANT\\[0\\]:(\\d+) .*");
  for (const std::string_view image : kImages) {
    const Cubin cubin = Read(image);
    std::size_t seen = 0;
    std::string name;
    for (const std::string& line : Lines(CubinData(fmt::format("{}.usage.txt", image)))) {
      std::smatch match;
      if (std::regex_match(line, match, kernel_line)) name = match[1];
      if (!std::regex_match(line, match, usage_line)) continue;
      const CubinKernel& kernel = Kernel(cubin, name);
      EXPECT_EQ(kernel.registers, std::stoul(match[1])) << image << ' ' << name;
      EXPECT_EQ(kernel.frame_bytes, std::stoul(match[2])) << image << ' ' << name;
      EXPECT_EQ(kernel.static_shared_bytes, std::stoul(match[3])) << image << ' ' << name;
      EXPECT_EQ(kernel.constant_bytes, std::stoul(match[5])) << image << ' ' << name;
      ++seen;
    }
    EXPECT_EQ(seen, cubin.kernels.size()) << image;
  }
}

TEST(Cubin, AgreesWithTheVendorsMemoryOfTheModule) {
  const std::regex bank_entry("CONSTANT\\[(\\d+)\\]:(\\d+)");
  for (const std::string_view image : kImages) {
    const Cubin cubin = Read(image);
    const std::string common = Lines(CubinData(fmt::format("{}.usage.txt", image)))[2];
    const auto bytes = std::accumulate(
        cubin.globals.begin(), cubin.globals.end(), std::uint64_t{0},
        [](std::uint64_t sum, const CubinGlobal& global) { return sum + global.size_bytes; });
    EXPECT_TRUE(common.starts_with(fmt::format("  GLOBAL:{}", bytes))) << image << ": " << common;
    std::map<std::uint32_t, std::uint64_t> expected;
    for (std::sregex_iterator i(common.begin(), common.end(), bank_entry), end; i != end; ++i) {
      expected[static_cast<std::uint32_t>(std::stoul((*i)[1]))] = std::stoul((*i)[2]);
    }
    std::map<std::uint32_t, std::uint64_t> found;
    for (const CubinConstantBank& bank : cubin.constant_banks) found[bank.bank] += bank.size_bytes;
    EXPECT_EQ(found, expected) << image;
  }
}

TEST(Cubin, AgreesWithTheVendorsParameters) {
  const std::regex record(".*Ordinal : (\\w+) Offset : (\\w+) Size : (\\w+)");
  constexpr std::string_view kPrefix = ".nv.info.";
  constexpr int kHexadecimal = 16;
  for (const std::string_view image : kImages) {
    const Cubin cubin = Read(image);
    std::size_t seen = 0;
    std::string name;
    for (const std::string& line : Lines(CubinData(fmt::format("{}.parameters.txt", image)))) {
      if (line.starts_with(kPrefix)) name = line.substr(kPrefix.size());
      std::smatch match;
      if (!std::regex_match(line, match, record)) continue;
      const CubinKernel& kernel = Kernel(cubin, name);
      const std::size_t ordinal = std::stoul(match[1], nullptr, kHexadecimal);
      ASSERT_LT(ordinal, kernel.parameters.size()) << image << ' ' << name;
      const CubinParameter& parameter = kernel.parameters[ordinal];
      EXPECT_EQ(parameter.offset_bytes, std::stoul(match[2], nullptr, kHexadecimal)) << name;
      EXPECT_EQ(parameter.size_bytes, std::stoul(match[3], nullptr, kHexadecimal)) << name;
      ++seen;
    }
    std::size_t found = 0;
    for (const CubinKernel& kernel : cubin.kernels) found += kernel.parameters.size();
    EXPECT_EQ(found, seen) << image;
  }
}

TEST(Cubin, AgreesWithTheAssemblersCounts) {
  const std::regex entry_line(".*Compiling entry function '(\\S+)' for '(\\S+)'");
  const std::regex used_line(".*Used (\\d+) registers, used (\\d+) barriers(.*)");
  const std::regex stack_part(".* (\\d+) bytes cumulative stack size.*");
  for (const std::string_view image : kImages) {
    const Cubin cubin = Read(image);
    std::size_t seen = 0;
    std::string name;
    for (const std::string& line : Lines(CubinData(fmt::format("{}.assembler.txt", image)))) {
      std::smatch match;
      if (std::regex_match(line, match, entry_line)) {
        name = match[1];
        EXPECT_EQ(cubin.architecture, match[2]) << image;
      }
      if (!std::regex_match(line, match, used_line)) continue;
      const CubinKernel& kernel = Kernel(cubin, name);
      EXPECT_EQ(kernel.registers, std::stoul(match[1])) << image << ' ' << name;
      EXPECT_EQ(kernel.barriers, std::stoul(match[2])) << image << ' ' << name;
      const std::string rest = match[3];
      const bool has_stack = std::regex_match(rest, match, stack_part);
      EXPECT_EQ(kernel.stack_bytes, has_stack ? std::stoul(match[1]) : 0) << image << ' ' << name;
      ++seen;
    }
    EXPECT_EQ(seen, cubin.kernels.size()) << image;
  }
}

// --- What no tool prints in one place ------------------------------------------------------------

TEST(Cubin, ReadsBoundsOfBlocksAndClusters) {
  const Cubin cubin = Read("launch_bounds.sm_90a");
  EXPECT_EQ(Kernel(cubin, "capped_kernel").max_block, (Extent3{256, 1, 1}));
  EXPECT_EQ(Kernel(cubin, "capped_kernel").max_cluster_blocks, 4U);
  EXPECT_EQ(Kernel(cubin, "clustered_kernel").required_cluster, (Extent3{2, 1, 1}));
  EXPECT_EQ(Kernel(cubin, "sized_kernel").required_block, (Extent3{64, 2, 1}));
  EXPECT_EQ(Kernel(cubin, "no_parameters_kernel").max_block, std::nullopt);
  EXPECT_EQ(Kernel(cubin, "no_parameters_kernel").max_cluster_blocks, std::nullopt);
}

TEST(Cubin, KeepsKernelsInTheOrderOfTheSymbolTable) {
  const std::string image = CubinData("launch_bounds.sm_90a.cubin");
  std::uint64_t last = 0;
  for (const CubinKernel& kernel : Read("launch_bounds.sm_90a").kernels) {
    EXPECT_LT(last, SymbolAt(image, kernel.name));
    last = SymbolAt(image, kernel.name);
  }
}

std::vector<std::string> FindingsAt(const Cubin& cubin) {
  std::vector<std::string> found;
  for (const Error& finding : CubinFindings(cubin)) {
    found.push_back(fmt::format("{} {} {} {}", SeverityName(finding.severity), finding.code.text(),
                                finding.where.key_path, finding.symbol));
  }
  return found;
}

TEST(Cubin, HasNothingToRemarkAboutAPlainKernel) {
  EXPECT_THAT(FindingsAt(Read("rmsnorm.sm_80")), IsEmpty());
  EXPECT_THAT(FindingsAt(Read("rmsnorm.sm_90a")), IsEmpty());
  EXPECT_THAT(FindingsAt(Read("rmsnorm.sm_100a")), IsEmpty());
  EXPECT_THAT(FindingsAt(Read("launch_bounds.sm_90a")), IsEmpty());
}

TEST(Cubin, FindsEveryThingThatOutlivesOrLeavesAKernel) {
  const std::vector<std::string> found = FindingsAt(Read("stateful.sm_90a"));
  for (const std::string_view expected :
       {"warning cubin.writable_global globals[0] counter",
        "warning cubin.device_heap kernels.allocating_kernel malloc",
        "warning cubin.print kernels.printing_kernel vprintf",
        "note cubin.assertion kernels.asserting_kernel __assertfail",
        "note cubin.indirect_call kernels.indirect_kernel indirect_kernel",
        "note cubin.embedded_ptx ptx_bytes "}) {
    EXPECT_THAT(found, ::testing::Contains(expected));
  }
  EXPECT_EQ(std::ranges::count_if(found,
                                  [](const std::string& text) {
                                    return text.starts_with("note cubin.indirect_call");
                                  }),
            1)
      << "calls of the device's runtime are known by name";
}

TEST(Cubin, FindsACallThatNoKernelOwns) {
  Cubin cubin = Read("rmsnorm.sm_90a");
  cubin.device_calls = {"free", "somewhere"};
  cubin.indirect_calls = 2;
  EXPECT_THAT(FindingsAt(cubin), ElementsAre("warning cubin.device_heap device_calls free",
                                             "note cubin.device_call device_calls somewhere",
                                             "note cubin.indirect_call indirect_calls "));
}

TEST(Cubin, FindsWritableBytesThatNoSymbolNames) {
  std::string image = CubinData("stateful.sm_90a.cubin");
  constexpr std::uint64_t kTypeOffset = 4;
  for (const std::string_view name : {"counter", "chosen"}) {
    image = WithValue(image, SymbolAt(image, name) + kTypeOffset, std::uint8_t{0});
  }
  const auto cubin = ReadCubin(image);
  ASSERT_TRUE(cubin.has_value()) << FormatError(cubin.error());
  const CubinGlobal& last = cubin->globals.back();
  EXPECT_EQ(last.name, "");
  EXPECT_FALSE(last.initialised);
  EXPECT_GE(last.size_bytes, 12U);
  EXPECT_EQ(CubinFindings(*cubin)[cubin->globals.size() - 1].code.text(), "cubin.writable_global");
}

TEST(Cubin, TellsItselfAsJson) {
  const Json document = CubinToJson(Read("launch_bounds.sm_90a"));
  EXPECT_EQ(document.Find("architecture")->as_string(), "sm_90a");
  const Json::Array& kernels = document.Find("kernels")->as_array();
  const auto capped = std::ranges::find_if(kernels, [](const Json& kernel) {
    return kernel.Find("name")->as_string() == "capped_kernel";
  });
  ASSERT_NE(capped, kernels.end());
  EXPECT_EQ(DocumentJson(*capped->Find("parameters")),
            R"([{"offset_bytes":112,"ordinal":0,"size_bytes":128},)"
            R"({"offset_bytes":240,"ordinal":1,"size_bytes":8}])");
  EXPECT_EQ(DocumentJson(*capped->Find("max_block")), "[256,1,1]");
  EXPECT_TRUE(capped->Find("required_block")->is_null());
}

}  // namespace
}  // namespace cacheon::artifact
