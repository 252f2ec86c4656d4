// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "cacheon/core/version.h"
#include "cacheon/worker/interpreter.h"
#include "cacheon/worker/isolation.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

// One thing that this machine has or lacks.
struct Finding {
  std::string_view name;
  bool present = false;
  std::string detail;  // what was found, or how to get it
};

Finding FindPython(const std::string& requested, std::vector<Finding>& findings) {
  const Result<worker::Interpreter> interpreter = worker::FindInterpreter(requested);
  if (!interpreter) {
    findings.push_back({.name = "torch", .detail = "apt-get install python3-torch"});
    return {.name = "python", .detail = FormatError(interpreter.error())};
  }
  const bool torch = !interpreter->torch_version.empty();
  findings.push_back(
      {.name = "torch",
       .present = torch,
       .detail = torch ? interpreter->torch_version
                       : "apt-get install python3-torch, or choose an interpreter that "
                         "has it with --python"});
  return {.name = "python",
          .present = true,
          .detail = fmt::format("{} {}", interpreter->path, interpreter->version)};
}

Finding FindDriver() {
  struct Close {
    void operator()(void* library) const { dlclose(library); }
  };
  const std::unique_ptr<void, Close> library(dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL));
  if (library) return {.name = "cuda_driver", .present = true, .detail = "libcuda.so.1"};
  return {.name = "cuda_driver", .detail = "no NVIDIA driver; graph evidence needs one"};
}

Finding FindTool(std::string_view name, std::string_view advice) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::string candidate = fmt::format("{}/{}", rest.substr(0, end), name);
    if (access(candidate.c_str(), X_OK) == 0) {
      return {.name = name, .present = true, .detail = candidate};
    }
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
  return {.name = name, .detail = std::string(advice)};
}

Json DoctorJson(const std::vector<Finding>& findings, const worker::IsolationReport& isolation) {
  Json list;
  for (const Finding& finding : findings) {
    list[finding.name] = Json::Object{{"present", finding.present}, {"detail", finding.detail}};
  }
  Json layers;
  for (const worker::Layer& layer : isolation.layers) {
    layers[layer.name] = Json::Object{{"active", layer.active}, {"detail", layer.detail}};
  }
  return Json::Object{
      {"schema", "cacheon.doctor.v1"},
      {"tool", Json::Object{{"version", Version()}, {"build_id", BuildId()}}},
      {"findings", std::move(list)},
      {"isolation", Json::Object{{"level", isolation.level()}, {"layers", std::move(layers)}}}};
}

std::string DoctorText(const std::vector<Finding>& findings,
                       const worker::IsolationReport& isolation) {
  std::string text = fmt::format("cacheon {} ({})\n\n", Version(), BuildId());
  for (const Finding& finding : findings) {
    text += fmt::format("  {:8} {:16} {}\n", finding.present ? "found" : "missing", finding.name,
                        finding.detail);
  }
  text += fmt::format("\nisolation of workers: {}\n", isolation.level());
  for (const worker::Layer& layer : isolation.layers) {
    text += fmt::format("  {:8} {:16} {}\n", layer.active ? "active" : "missing", layer.name,
                        layer.detail);
  }
  return text;
}

Result<ExitStatus> Run(const Arguments& arguments) {
  std::vector<Finding> findings;
  findings.insert(findings.begin(), FindPython(arguments.Value("--python"), findings));
  findings.push_back(FindDriver());
  findings.push_back(FindTool("nvcc", "the CUDA toolkit; only building CUDA bundles needs it"));
  const worker::IsolationReport isolation = worker::ProbeIsolation();
  if (arguments.Has("--json")) {
    RETURN_IF_ERROR(
        WriteDocument(arguments, "--json", PrettyJson(DoctorJson(findings, isolation))));
  } else {
    RETURN_IF_ERROR(Print(DoctorText(findings, isolation)));
  }
  return ExitStatus::kAccepted;
}

}  // namespace

const Verb kDoctor = {
    .name = "doctor",
    .summary = "what this machine can do, what is missing and how to get it",
    .positionals = {},
    .flags = {{"--python", FlagKind::kValue, "PATH", "the interpreter of Python candidates"},
              kJsonFlag},
    .run = Run};

}  // namespace cacheon::cli
