// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/cubin.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cacheon/artifact/key_path.h"
#include "cacheon/artifact/limits.h"
#include "src/artifact/cubin_code.h"
#include "src/artifact/cubin_elf.h"
#include "src/artifact/cubin_info.h"
#include "src/artifact/cubin_module.h"
#include "src/artifact/table_reader.h"

namespace cacheon::artifact {
namespace {

constexpr std::size_t kMaxCubinKernels = 4096;  // what admission takes from a driver
constexpr std::uint8_t kSymbolIsKernel = 0x10;  // in st_other
constexpr std::ptrdiff_t kNoKernel = -1;

constexpr std::string_view kInfoPrefix = ".nv.info.";
constexpr std::string_view kConstantPrefix = ".nv.constant";
constexpr std::string_view kPtxPrefix = ".nv_debug_ptx_txt";

constexpr KeyPath kSections("sections");
constexpr KeyPath kSymbols("symbols");
constexpr KeyPath kKernels("kernels");

// What the records say about a kernel and the reader must still put in order.
struct KernelFacts {
  std::size_t section = 0;  // of its code
  bool has_info = false;
  bool has_registers = false;
  std::vector<ParameterRecord> parameters;
  std::set<std::string_view> device_calls;
};

class CubinReader {
 public:
  explicit CubinReader(ElfImage elf) : elf_(std::move(elf)) {}

  Result<Cubin> Read() {
    ASSIGN_OR_RETURN(cubin_.architecture, ReadArchitecture(elf_));
    RETURN_IF_ERROR(FindKernels());
    syscalls_.resize(elf_.sections.size());
    for (std::size_t i = 0; i < elf_.sections.size(); ++i) RETURN_IF_ERROR(ReadSection(i));
    for (std::size_t i = 0; i < elf_.sections.size(); ++i) ReadCode(i);
    for (std::size_t i = 0; i < cubin_.kernels.size(); ++i) RETURN_IF_ERROR(Finish(i));
    cubin_.globals = FindGlobals(elf_);
    cubin_.device_calls = FindDeviceCalls(elf_);
    std::ranges::sort(cubin_.constant_banks, {}, &CubinConstantBank::bank);
    return std::move(cubin_);
  }

 private:
  Status FindKernels() {
    kernel_of_section_.assign(elf_.sections.size(), kNoKernel);
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < elf_.symbols.size(); ++i) {
      const ElfSymbol& symbol = elf_.symbols[i];
      if (symbol.type != kSymbolFunction || (symbol.other & kSymbolIsKernel) == 0) continue;
      RETURN_IF_ERROR(AddKernel(symbol, kSymbols.At(i)));
      if (!names.insert(symbol.name).second) {
        return Fail("cubin.kernel_name", fmt::format("two kernels are called `{}`", symbol.name),
                    kSymbols.At(i).where());
      }
    }
    if (cubin_.kernels.empty()) {
      return Fail("cubin.kernel", "there is no kernel", {.key_path = "symbols"},
                  "a kernel is a `__global__` function that is used or has external linkage");
    }
    return {};
  }

  Status AddKernel(const ElfSymbol& symbol, const KeyPath& path) {
    if (!IsKernelName(symbol.name)) {
      return Fail("cubin.kernel_name", fmt::format("`{}` is no kernel name", symbol.name),
                  path.where());
    }
    if (symbol.section >= elf_.sections.size() ||
        (elf_.sections[symbol.section].flags & kSectionExecutable) == 0) {
      return Fail("cubin.kernel", fmt::format("kernel `{}` has no code", symbol.name),
                  path.where());
    }
    std::ptrdiff_t& owner = kernel_of_section_[symbol.section];
    if (owner != kNoKernel) {
      return Fail("cubin.kernel",
                  fmt::format("kernel `{}` shares its section with another", symbol.name),
                  path.where());
    }
    if (cubin_.kernels.size() == kMaxCubinKernels) {
      return Fail("cubin.limit", fmt::format("a CUBIN has at most {} kernels", kMaxCubinKernels),
                  path.where());
    }
    owner = static_cast<std::ptrdiff_t>(cubin_.kernels.size());
    cubin_.kernels.push_back({.name = std::string(symbol.name),
                              .parameters = {},
                              .code_bytes = elf_.sections[symbol.section].size_bytes});
    facts_.push_back({.section = symbol.section, .parameters = {}, .device_calls = {}});
    return {};
  }

  // The kernel that a section belongs to by its sh_info, or nullptr.
  CubinKernel* KernelOf(const ElfSection& section) {
    if (section.info >= kernel_of_section_.size()) return nullptr;
    const std::ptrdiff_t index = kernel_of_section_[section.info];
    return index == kNoKernel ? nullptr : &cubin_.kernels[static_cast<std::size_t>(index)];
  }

  KernelFacts& FactsOf(const CubinKernel& kernel) {
    return facts_[static_cast<std::size_t>(&kernel - cubin_.kernels.data())];
  }

  Status ReadSection(std::size_t index) {
    const ElfSection& section = elf_.sections[index];
    const KeyPath path = kSections.At(index);
    if (section.type == kSectionCudaInfo && section.name == ".nv.info") {
      return ForEachInfoRecord(section.bytes, path, [&](const InfoRecord& record) {
        return ReadModuleRecord(record, path);
      });
    }
    if (section.type == kSectionCudaInfo && section.name.starts_with(kInfoPrefix)) {
      return ReadFunctionInfo(section, path);
    }
    if (section.name.starts_with(kConstantPrefix)) return ReadConstantBank(section, path);
    if (section.name.starts_with(kSharedPrefix)) {
      if (CubinKernel* kernel = KernelOf(section))
        kernel->static_shared_bytes += section.size_bytes;
    } else if (section.name.starts_with(kPtxPrefix)) {
      cubin_.ptx_bytes += section.size_bytes;
    }
    return {};
  }

  // A record of the whole module: something about one function.
  Status ReadModuleRecord(const InfoRecord& record, const KeyPath& path) {
    const bool known = record.attribute == kInfoRegisterCount ||
                       record.attribute == kInfoFrameSize || record.attribute == kInfoMinStackSize;
    if (!known) return {};
    const std::uint32_t index = record.word(0);
    if (index >= elf_.symbols.size()) {
      return Fail("cubin.info",
                  fmt::format("a record is about symbol {}, which does not exist", index),
                  path.where());
    }
    const ElfSymbol& symbol = elf_.symbols[index];
    if (symbol.section >= kernel_of_section_.size()) return {};
    const std::ptrdiff_t owner = kernel_of_section_[symbol.section];
    if (owner == kNoKernel || symbol.name != cubin_.kernels[static_cast<std::size_t>(owner)].name) {
      return {};  // a function that a kernel calls
    }
    CubinKernel& kernel = cubin_.kernels[static_cast<std::size_t>(owner)];
    if (record.attribute == kInfoRegisterCount) {
      kernel.registers = record.word(1);
      FactsOf(kernel).has_registers = true;
    } else if (record.attribute == kInfoFrameSize) {
      kernel.frame_bytes = record.word(1);
    } else {
      kernel.stack_bytes = record.word(1);
    }
    return {};
  }

  Status ReadFunctionInfo(const ElfSection& section, const KeyPath& path) {
    if (section.info >= elf_.sections.size()) {
      return Fail("cubin.section", fmt::format("section {} does not exist", section.info),
                  path.where());
    }
    CubinKernel* kernel = KernelOf(section);
    if (kernel != nullptr) {
      if (section.name.substr(kInfoPrefix.size()) != kernel->name) {
        return Fail("cubin.kernel",
                    fmt::format("`{}` belongs to kernel `{}`", section.name, kernel->name),
                    path.where());
      }
      if (std::exchange(FactsOf(*kernel).has_info, true)) {
        return Fail("cubin.kernel", fmt::format("kernel `{}` is described twice", kernel->name),
                    path.where());
      }
    }
    std::vector<std::uint32_t>& syscalls = syscalls_[section.info];
    RETURN_IF_ERROR(ForEachInfoRecord(section.bytes, path, [&](const InfoRecord& record) -> Status {
      for (std::size_t i = 0; record.attribute == kInfoSyscallOffsets && i < record.word_count();
           ++i) {
        syscalls.push_back(record.word(i));
      }
      return kernel == nullptr ? Status() : ReadKernelRecord(record, *kernel, path);
    }));
    std::ranges::sort(syscalls);
    return {};
  }

  Status ReadKernelRecord(const InfoRecord& record, CubinKernel& kernel, const KeyPath& path) {
    const auto extent = [&] { return Extent3{record.word(0), record.word(1), record.word(2)}; };
    switch (record.attribute) {
      case kInfoMaxThreads:
        kernel.max_block = extent();
        return {};
      case kInfoRequiredThreads:
        kernel.required_block = extent();
        return {};
      case kInfoBlocksPerCluster:
        kernel.required_cluster = extent();
        return {};
      case kInfoMaxClusterRank:
        kernel.max_cluster_blocks = record.word(0);
        return {};
      case kInfoBarrierCount:
        kernel.barriers = record.value;
        return {};
      case kInfoParameter:
      case kInfoLargeParameter:
        return AddParameter(ReadParameterRecord(record), kernel, path);
      case kInfoExterns:
        return AddExterns(record, FactsOf(kernel), path);
      default:
        return {};
    }
  }

  Status AddParameter(const ParameterRecord& record, CubinKernel& kernel, const KeyPath& path) {
    std::vector<ParameterRecord>& parameters = FactsOf(kernel).parameters;
    if (parameters.size() == kMaxLaunchParameters) {
      return Fail(
          "cubin.limit",
          fmt::format("kernel `{}` has more than {} parameters", kernel.name, kMaxLaunchParameters),
          path.where());
    }
    parameters.push_back(record);
    return {};
  }

  Status AddExterns(const InfoRecord& record, KernelFacts& facts, const KeyPath& path) {
    for (std::size_t i = 0; i < record.word_count(); ++i) {
      const std::uint32_t index = record.word(i);
      if (index >= elf_.symbols.size()) {
        return Fail("cubin.info",
                    fmt::format("a record names symbol {}, which does not exist", index),
                    path.where());
      }
      facts.device_calls.insert(elf_.symbols[index].name);
    }
    return {};
  }

  // `.nv.constantN` is shared by all kernels, `.nv.constantN.KERNEL` belongs to one.
  Status ReadConstantBank(const ElfSection& section, const KeyPath& path) {
    std::string_view rest = section.name.substr(kConstantPrefix.size());
    std::uint32_t bank = 0;
    std::size_t digits = 0;
    for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9' && digits < 2;
         ++digits) {
      bank = bank * 10 + static_cast<std::uint32_t>(rest[digits] - '0');
    }
    rest.remove_prefix(digits);
    if (digits == 0 || !(rest.empty() || rest.front() == '.')) {
      return Fail("cubin.section", fmt::format("`{}` names no constant bank", section.name),
                  path.where());
    }
    if (rest.empty()) {
      cubin_.constant_banks.push_back({.bank = bank, .size_bytes = section.size_bytes});
    } else if (CubinKernel* kernel = KernelOf(section); kernel != nullptr && bank == 0) {
      kernel->constant_bytes += section.size_bytes;
    }
    return {};
  }

  void ReadCode(std::size_t index) {
    const ElfSection& section = elf_.sections[index];
    if ((section.flags & kSectionExecutable) == 0) return;
    const std::uint32_t calls = CountIndirectCalls(section.bytes, syscalls_[index]);
    const std::ptrdiff_t owner = kernel_of_section_[index];
    if (owner == kNoKernel) {
      cubin_.indirect_calls += calls;
    } else {
      cubin_.kernels[static_cast<std::size_t>(owner)].indirect_calls = calls;
    }
  }

  Status Finish(std::size_t index) {
    CubinKernel& kernel = cubin_.kernels[index];
    KernelFacts& facts = facts_[index];
    const KeyPath path = kKernels.Key(kernel.name);
    if (!facts.has_info) {
      return Fail("cubin.kernel",
                  fmt::format("there is no `{}{}`, which would describe the kernel", kInfoPrefix,
                              kernel.name),
                  path.where());
    }
    if (!facts.has_registers) {
      return Fail("cubin.kernel", "no record says how many registers the kernel uses",
                  path.where());
    }
    kernel.device_calls.assign(facts.device_calls.begin(), facts.device_calls.end());
    std::ranges::sort(facts.parameters, {}, &ParameterRecord::ordinal);
    return FinishParameters(facts.parameters, kernel, path);
  }

  static Status FinishParameters(const std::vector<ParameterRecord>& records, CubinKernel& kernel,
                                 const KeyPath& kernel_path) {
    const KeyPath parameters = kernel_path.Key("parameters");
    std::uint32_t end = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const ParameterRecord& record = records[i];
      const KeyPath path = parameters.At(i);
      if (record.ordinal != i) {
        return Fail("cubin.parameter",
                    fmt::format("the ordinals of `{}` are not 0..{}, each once", kernel.name,
                                records.size() - 1),
                    path.where());
      }
      const bool fits = record.size_bytes >= 1 && record.size_bytes <= kMaxKernelParameterBytes &&
                        record.offset_bytes + record.size_bytes <= kMaxKernelParameterBytes;
      if (!fits || record.offset_bytes < end) {
        return Fail("cubin.parameter",
                    fmt::format("{} bytes at offset {} overlap another parameter or do not lie in "
                                "{} bytes",
                                record.size_bytes, record.offset_bytes, kMaxKernelParameterBytes),
                    path.where());
      }
      end = record.offset_bytes + record.size_bytes;
      kernel.parameters.push_back(
          {.offset_bytes = record.offset_bytes, .size_bytes = record.size_bytes});
    }
    return {};
  }

  ElfImage elf_;
  Cubin cubin_;
  std::vector<KernelFacts> facts_;                    // beside cubin_.kernels
  std::vector<std::ptrdiff_t> kernel_of_section_;     // by section
  std::vector<std::vector<std::uint32_t>> syscalls_;  // by section of code: offsets, sorted
};

}  // namespace

Result<Cubin> ReadCubin(std::string_view image) {
  ASSIGN_OR_RETURN(ElfImage elf, ReadElf(image));
  ASSIGN_OR_RETURN(Cubin cubin, CubinReader(std::move(elf)).Read());
  cubin.size_bytes = image.size();
  return cubin;
}

}  // namespace cacheon::artifact
