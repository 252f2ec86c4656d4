// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/worker/interpreter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace cacheon::worker {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSystemPython = "/usr/bin/python3";

bool IsProgram(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

// The program of this name on PATH. Launchers that are scripts (pyenv's) are not interpreters.
std::optional<fs::path> FindOnPath(std::string_view name) {
  const char* variable = std::getenv("PATH");
  std::string_view path = variable == nullptr ? "" : variable;
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    const fs::path candidate = fs::path(path.substr(0, colon)) / name;
    path.remove_prefix(std::min(colon + 1, path.size()));
    if (candidate.is_absolute() && IsProgram(candidate)) return candidate;
  }
  return std::nullopt;
}

bool IsScript(const fs::path& program) {
  std::ifstream file(program, std::ios::binary);
  return file.get() == '#' && file.get() == '!';
}

// The `home` of a virtual environment: the folder of the Python that it was made from.
fs::path BaseBinFolder(const fs::path& prefix) {
  std::ifstream config(prefix / "pyvenv.cfg");
  for (std::string line; std::getline(config, line);) {
    const std::size_t equals = line.find('=');
    if (!line.starts_with("home") || equals == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(' ', equals + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return {};
}

// "3.11" from a file name such as python3.11; empty otherwise.
std::string VersionInName(const fs::path& program) {
  const std::string name = program.filename().string();
  constexpr std::string_view kPrefix = "python";
  return name.starts_with(kPrefix) && name.find('.') != std::string::npos
             ? name.substr(kPrefix.size())
             : "";
}

// Where packages of an interpreter lie: below its own prefix, that of the Python it was made from,
// and Debian's folder for all versions.
std::vector<fs::path> SiteFolders(const fs::path& program, const std::string& version) {
  std::error_code error;
  const fs::path prefix = program.parent_path().parent_path();
  std::vector<fs::path> prefixes = {prefix,
                                    fs::canonical(program, error).parent_path().parent_path()};
  if (prefixes.back() == "/usr") prefixes.emplace_back("/usr/local");
  std::vector<fs::path> folders;
  for (const fs::path& base : prefixes) {
    for (const char* name : {"site-packages", "dist-packages"}) {
      folders.push_back(base / "lib" / ("python" + version) / name);
    }
    folders.push_back(base / "lib/python3/dist-packages");
  }
  return folders;
}

// `__version__ = '1.13.0a0'` of torch/version.py; "unknown" when it says nothing.
std::string ReadTorchVersion(const fs::path& torch) {
  std::ifstream file(torch / "version.py");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("__version__")) continue;
    const std::size_t begin = line.find_first_of("'\"");
    if (begin == std::string::npos) continue;
    const std::size_t end = line.find(line[begin], begin + 1);
    if (end != std::string::npos) return line.substr(begin + 1, end - begin - 1);
  }
  return "unknown";
}

std::string FindTorch(const std::vector<fs::path>& folders) {
  std::error_code error;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / "torch/__init__.py", error)) return ReadTorchVersion(folder / "torch");
  }
  return "";
}

// What can be known about a program without running it.
Interpreter Inspect(const fs::path& program) {
  std::error_code error;
  std::string version = VersionInName(fs::canonical(program, error));
  if (version.empty())
    version = VersionInName(
        fs::canonical(BaseBinFolder(program.parent_path().parent_path()) / "python3", error));
  return {.path = program.string(),
          .version = version,
          .torch_version = FindTorch(SiteFolders(program, version))};
}

Result<Interpreter> InspectRequested(std::string_view requested) {
  fs::path program = requested;
  if (requested.find('/') == std::string_view::npos) {
    program = FindOnPath(requested).value_or(program);
  }
  std::error_code error;
  program = fs::absolute(program, error).lexically_normal();
  if (!IsProgram(program)) {
    return Fail("env.python_missing", "there is no such program", {.file = std::string(requested)},
                "give the path of a Python 3 that imports torch");
  }
  return Inspect(program);
}

}  // namespace

Result<Interpreter> FindInterpreter(std::string_view requested) {
  std::optional<Interpreter> found;
  if (!requested.empty()) {
    ASSIGN_OR_RETURN(found, InspectRequested(requested));
  } else {
    const auto on_path = FindOnPath("python3");
    if (on_path && !IsScript(*on_path)) found = Inspect(*on_path);
    const bool usable = found && !found->torch_version.empty();
    if (!usable && IsProgram(kSystemPython)) found = Inspect(kSystemPython);
  }
  if (!found) {
    return Fail("env.python_missing", "no Python was found on PATH or in /usr/bin", {},
                "install python3 and python3-torch, or use --python");
  }
  if (found->torch_version.empty()) {
    return Fail("env.torch_missing", "this Python has no torch", {.file = found->path},
                "install python3-torch, or name a Python that has torch with --python");
  }
  return *found;
}

}  // namespace cacheon::worker
