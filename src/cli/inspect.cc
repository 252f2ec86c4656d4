// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// What a CUBIN says about itself, without a GPU.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cacheon/artifact/cubin.h"
#include "cacheon/core/unique_fd.h"
#include "cacheon/core/utf8.h"
#include "cacheon/core/version.h"
#include "cacheon/report/sarif.h"
#include "src/cli/error_list.h"
#include "src/cli/report_files.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

using artifact::Cubin;
using artifact::CubinKernel;
using artifact::Extent3;

struct Inspection {
  std::string file;            // as the user gave it
  std::optional<Cubin> cubin;  // absent: refused
  std::vector<Error> errors;   // the refusal, or the findings
};

// Codes: io.open, io.read, io.too_large. A file that is no CUBIN is a result.
Result<Inspection> Inspect(const std::string& file) {
  ASSIGN_OR_RETURN(const std::string image, ReadFile(file, artifact::kMaxCubinBytes));
  Inspection inspection{.file = file, .cubin = {}, .errors = {}};
  Result<Cubin> cubin = artifact::ReadCubin(image);
  if (cubin) {
    inspection.errors = artifact::CubinFindings(*cubin);
    inspection.cubin = std::move(*cubin);
  } else {
    inspection.errors.push_back(std::move(cubin.error()));
  }
  for (Error& error : inspection.errors) error.where.file = file;
  return inspection;
}

std::string ParametersText(const CubinKernel& kernel) {
  if (kernel.parameters.empty()) return "none";
  std::string text;
  for (const artifact::CubinParameter& parameter : kernel.parameters) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} at {}", parameter.size_bytes, parameter.offset_bytes);
  }
  return text + " (bytes at offset)";
}

std::string ExtentText(std::string_view what, const std::optional<Extent3>& extent) {
  if (!extent) return "";
  return fmt::format("    {:<12}{}\n", what, fmt::join(*extent, " x "));
}

std::string KernelText(const CubinKernel& kernel) {
  std::string text = fmt::format("  {}\n", Printable(kernel.name));
  text += fmt::format("    parameters  {}\n", ParametersText(kernel));
  text += fmt::format("    registers   {}\n", kernel.registers);
  text += fmt::format("    shared      {} bytes\n", kernel.static_shared_bytes);
  text += fmt::format("    stack       {} bytes, {} of them its own\n", kernel.stack_bytes,
                      kernel.frame_bytes);
  text += fmt::format("    barriers    {}\n", kernel.barriers);
  text += fmt::format("    code        {} bytes\n", kernel.code_bytes);
  text += fmt::format("    constant 0  {} bytes\n", kernel.constant_bytes);
  text += ExtentText("block <=", kernel.max_block);
  text += ExtentText("block", kernel.required_block);
  text += ExtentText("cluster", kernel.required_cluster);
  if (kernel.max_cluster_blocks) {
    text += fmt::format("    cluster <=  {} blocks\n", *kernel.max_cluster_blocks);
  }
  return text;
}

std::string CubinText(const Inspection& inspection) {
  const Cubin& cubin = *inspection.cubin;
  std::string text =
      fmt::format("{}: {}, {} bytes, {} kernel{}\n", Printable(inspection.file), cubin.architecture,
                  cubin.size_bytes, cubin.kernels.size(), cubin.kernels.size() == 1 ? "" : "s");
  for (const CubinKernel& kernel : cubin.kernels) text += KernelText(kernel);
  for (const artifact::CubinConstantBank& bank : cubin.constant_banks) {
    text += fmt::format("  constant {}    {} bytes\n", bank.bank, bank.size_bytes);
  }
  return text + ErrorsText(inspection.errors);
}

Json InspectionJson(const Inspection& inspection) {
  return Json::Object{
      {"schema", artifact::kInspectSchema},
      {"file", inspection.file},
      {"status", inspection.cubin ? "accepted" : "refused"},
      {"cubin", inspection.cubin ? artifact::CubinToJson(*inspection.cubin) : Json()},
      {"errors", ErrorsJson(inspection.errors)}};
}

Result<ExitStatus> Run(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Inspection inspection, Inspect(arguments.Positional(0)));
  if (arguments.Has("--json")) {
    RETURN_IF_ERROR(WriteDocument(arguments, "--json", PrettyJson(InspectionJson(inspection))));
  }
  if (arguments.Has("--sarif")) {
    const Json log = report::SarifLog(inspection.errors, Version());
    RETURN_IF_ERROR(WriteDocument(arguments, "--sarif", DocumentJson(log)));
  }
  if (!inspection.cubin) {
    if (arguments.Value("--json") != "-") return Fail(inspection.errors.front());
    return StatusOf(inspection.errors.front());
  }
  if (!WritesToStdout(arguments)) RETURN_IF_ERROR(Print(CubinText(inspection)));
  return ExitStatus::kAccepted;
}

}  // namespace

const Verb kInspect = {
    .name = "inspect",
    .summary = "kernels, parameters and resources of a CUBIN, without a GPU",
    .positionals = {{"FILE", "a CUBIN, as nvcc -cubin writes it"}},
    .flags = {kJsonFlag,
              {"--sarif", FlagKind::kValue, "FILE", "the findings as a SARIF log; - is stdout"}},
    .run = Run};

}  // namespace cacheon::cli
