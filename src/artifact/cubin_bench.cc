// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Inspecting a CUBIN of 10 MB: 500 kernels with 12 parameters and 19 KB of code each, in the layout
// of CUDA 13. Goal: 30 ms.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/artifact/cubin.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {
namespace {

constexpr int kKernelCount = 500;
constexpr std::uint16_t kParameterCount = 12;
constexpr std::size_t kCodeBytes = 19456;
constexpr std::size_t kHeaderBytes = 64;

template <typename... T>
void Append(std::string& out, T... values) {
  (out.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
}

// Writes sections in the order in which they are added.
class ImageWriter {
 public:
  ImageWriter() { Add("", 0, 0, 0, 0, ""); }

  std::uint32_t Add(std::string_view name, std::uint32_t type, std::uint64_t flags,
                    std::uint32_t link, std::uint32_t info, std::string_view bytes,
                    std::uint64_t entry_bytes = 0) {
    const auto name_offset = static_cast<std::uint32_t>(names_.size());
    names_.append(name).push_back('\0');
    Append(headers_, name_offset, type, flags, std::uint64_t{0},
           std::uint64_t{kHeaderBytes + bytes_.size()}, std::uint64_t{bytes.size()}, link, info,
           std::uint64_t{1}, entry_bytes);
    bytes_.append(bytes);
    return count_++;
  }

  std::string Finish() {
    constexpr std::uint32_t kStringTable = 3;
    // Its own name is the empty one at the front.
    const std::uint32_t index = Add("", kStringTable, 0, 0, 0, names_ + '\0');
    std::string image("\x7f\x45\x4c\x46\x02\x01\x01\x41\x08", 9);
    image.resize(16);
    Append(image, std::uint16_t{2}, std::uint16_t{190}, std::uint32_t{1}, std::uint64_t{0},
           std::uint64_t{0}, std::uint64_t{kHeaderBytes + bytes_.size()}, std::uint32_t{0x6005a04},
           std::uint16_t{64}, std::uint16_t{56}, std::uint16_t{0}, std::uint16_t{64},
           static_cast<std::uint16_t>(count_), static_cast<std::uint16_t>(index));
    return image + bytes_ + headers_;
  }

 private:
  std::string names_;
  std::string headers_;
  std::string bytes_;
  std::uint32_t count_ = 0;
};

std::string KernelInfo() {
  std::string info;
  for (std::uint16_t ordinal = kParameterCount; ordinal-- > 0;) {
    Append(info, std::uint16_t{0x1704}, std::uint16_t{12}, std::uint32_t{0}, ordinal,
           static_cast<std::uint16_t>(ordinal * 8), std::uint32_t{0x21f000});
  }
  return info;
}

std::string TenMegabytes() {
  ImageWriter writer;
  std::string names(1, '\0');
  std::string symbols(24, '\0');
  std::string module_info;
  const std::string info = KernelInfo();
  for (int i = 0; i < kKernelCount; ++i) {
    const std::string name = fmt::format("_Z20normalise_and_scale_{:04}PfS_i", i);
    const std::uint32_t code = writer.Add(".text." + name, 1, 6, 0, 0, std::string(kCodeBytes, 0));
    writer.Add(".nv.info." + name, 0x70000000, 0x40, 0, code, info);
    writer.Add(".nv.constant0." + name, 1, 0x42, 0, code, std::string(528, '\0'));
    Append(symbols, static_cast<std::uint32_t>(names.size()), std::uint8_t{0x12},
           std::uint8_t{0x10}, static_cast<std::uint16_t>(code), std::uint64_t{0},
           std::uint64_t{kCodeBytes});
    names.append(name).push_back('\0');
    Append(module_info, std::uint16_t{0x2f04}, std::uint16_t{8}, static_cast<std::uint32_t>(i + 1),
           std::uint32_t{32});
  }
  writer.Add(".nv.info", 0x70000000, 0, 0, 0, module_info);
  const std::uint32_t strings = writer.Add(".strtab", 3, 0, 0, 0, names);
  writer.Add(".symtab", 2, 0, strings, 1, symbols, 24);
  return writer.Finish();
}

// All that the command does after it has read the file.
void Inspect(benchmark::State& state) {
  const std::string image = TenMegabytes();
  for (auto _ : state) {
    const Result<Cubin> cubin = ReadCubin(image);
    CACHEON_CHECK(cubin.has_value(), "the image is refused");
    CACHEON_CHECK(cubin->kernels.size() == kKernelCount, "kernels are missing");
    benchmark::DoNotOptimize(CubinFindings(*cubin));
    benchmark::DoNotOptimize(PrettyJson(CubinToJson(*cubin)));
  }
  state.counters["image_bytes"] = static_cast<double>(image.size());
}
BENCHMARK(Inspect)->Name("InspectCubin10MB")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cacheon::artifact
