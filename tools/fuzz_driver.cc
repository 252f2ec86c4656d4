// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target where libFuzzer is not: over each file of its corpus, then for two seconds
// over mutations of them. The mutations are the same in every run. A case that crashes, ends the
// process, needs more than a second or more than 512 MiB fails, and its input is kept.
//
// The cases run in a child that keeps the current input in shared memory, so that no way of dying
// can lose it.
//
// Usage: TARGET CORPUS_FOLDER...

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/philox.h"
#include "cacheon/core/unique_fd.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxInputBytes = 1U << 20U;
constexpr std::uint64_t kSeed = 1;
constexpr std::chrono::seconds kMutationTime{2};
constexpr int kMaxCaseSeconds = 1;
constexpr long kMaxResidentKib = 1L << 19U;
constexpr rlim_t kMaxAddressSpaceBytes = rlim_t{4} << 30U;

#ifdef CACHEON_SANITIZED
constexpr bool kSanitized = true;  // sanitizers reserve terabytes of address space
#else
constexpr bool kSanitized = false;
#endif

// What the parent reads after the child has ended, however it ended.
struct Shared {
  std::size_t corpus_cases;
  std::size_t mutated_cases;
  std::size_t size;
  std::array<std::uint8_t, kMaxInputBytes> input;
};

std::vector<std::string> ReadCorpus(int count, char** folders) {
  std::vector<fs::path> paths;
  for (int i = 0; i < count; ++i) {
    if (!fs::is_directory(folders[i])) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folders[i])) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);  // the same order on every machine
  std::vector<std::string> corpus = {""};
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    corpus.back().resize(std::min(corpus.back().size(), kMaxInputBytes));
  }
  return corpus;
}

// Changes inputs at random places, with values at which parsers tend to break.
class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus) {}

  std::string Next() {
    std::string input = Any();
    const std::int64_t changes = random_.NextInt(1, 4);
    for (std::int64_t i = 0; i < changes; ++i) Change(input);
    input.resize(std::min(input.size(), kMaxInputBytes));
    return input;
  }

 private:
  const std::string& Any() { return corpus_[Below(corpus_.size())]; }
  std::size_t Below(std::size_t count) {
    return static_cast<std::size_t>(random_.NextInt(0, static_cast<std::int64_t>(count) - 1));
  }
  // A part of an input, at most 64 bytes of it.
  std::string Piece(const std::string& input) {
    const std::size_t at = Below(input.size() + 1);
    return input.substr(at, Below(65));
  }

  void Change(std::string& input) {
    static constexpr std::array<std::string_view, 14> kWords = {"0",
                                                                "-1",
                                                                "9223372036854775807",
                                                                "18446744073709551616",
                                                                "1e999",
                                                                "\"",
                                                                "[",
                                                                "{",
                                                                "\n",
                                                                "../",
                                                                "\xff",
                                                                "\xe2\x80\xae",
                                                                "\\u0000",
                                                                "]"};
    const std::size_t at = Below(input.size() + 1);
    switch (Below(6)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << Below(8)));
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(random_.NextU32());
        break;
      case 2:
        input.erase(at, Below(65));
        break;
      case 3:
        input.insert(at, Piece(input));
        break;
      case 4:
        input.insert(at, Piece(Any()));
        break;
      default:
        input.insert(at, kWords[Below(kWords.size())]);
    }
  }

  const std::vector<std::string>& corpus_;
  cacheon::Philox random_{kSeed};
};

// Runs one case; ends the process when it breaks a limit. A case that never returns is ended by the
// timer's signal.
void RunCase(const std::string& input, Shared& shared) {
  shared.size = input.size();
  std::memcpy(shared.input.data(), input.data(), input.size());
  const itimerval limit = {.it_interval = {},
                           .it_value = {.tv_sec = kMaxCaseSeconds, .tv_usec = 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  LLVMFuzzerTestOneInput(shared.input.data(), input.size());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  if (usage.ru_maxrss > kMaxResidentKib) {
    fmt::print(stderr, "this case took the process above {} MiB\n", kMaxResidentKib >> 10U);
    _exit(1);
  }
}

[[noreturn]] void RunAll(const std::vector<std::string>& corpus, Shared& shared) {
  if (!kSanitized) {
    const rlimit limit = {.rlim_cur = kMaxAddressSpaceBytes, .rlim_max = kMaxAddressSpaceBytes};
    setrlimit(RLIMIT_AS, &limit);
  }
  for (const std::string& input : corpus) {
    RunCase(input, shared);
    ++shared.corpus_cases;
  }
  Mutator mutator(corpus);
  const auto end = std::chrono::steady_clock::now() + kMutationTime;
  while (std::chrono::steady_clock::now() < end) {
    RunCase(mutator.Next(), shared);
    ++shared.mutated_cases;
  }
  std::fflush(nullptr);
  _exit(0);
}

int ReportFailure(const char* target, const Shared& shared, int wait_status) {
  const std::string file = fs::path(target).filename().string() + ".failed";
  const std::string_view input(reinterpret_cast<const char*>(shared.input.data()), shared.size);
  const std::string how =
      WIFSIGNALED(wait_status)
          ? (WTERMSIG(wait_status) == SIGPROF ? fmt::format("more than {} s", kMaxCaseSeconds)
                                              : fmt::format("signal {}", WTERMSIG(wait_status)))
          : fmt::format("exit status {}", WEXITSTATUS(wait_status));
  fmt::print(stderr, "{}: {} after {} corpus and {} mutated cases; input of {} bytes in {}\n",
             target, how, shared.corpus_cases, shared.mutated_cases, shared.size, file);
  if (!cacheon::WriteFileAtomically(file, input)) fmt::print(stderr, "cannot write {}\n", file);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> corpus = ReadCorpus(argc - 1, argv + 1);
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  auto& shared = *static_cast<Shared*>(memory);
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) RunAll(corpus, shared);
  int wait_status = 0;
  if (waitpid(child, &wait_status, 0) != child) return 1;
  if (wait_status != 0) return ReportFailure(argv[0], shared, wait_status);
  fmt::print("{} corpus and {} mutated cases\n", shared.corpus_cases, shared.mutated_cases);
  return 0;
}
