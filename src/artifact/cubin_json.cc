// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/cubin.h"

namespace cacheon::artifact {
namespace {

Json ExtentJson(const std::optional<Extent3>& extent) {
  if (!extent) return {};
  return Json::Array{(*extent)[0], (*extent)[1], (*extent)[2]};
}

Json NamesJson(const std::vector<std::string>& names) {
  return Json::Array(names.begin(), names.end());
}

Json KernelJson(const CubinKernel& kernel) {
  Json parameters = Json::Array{};
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const CubinParameter& parameter = kernel.parameters[i];
    parameters.Append(Json::Object{{"ordinal", static_cast<std::int64_t>(i)},
                                   {"offset_bytes", parameter.offset_bytes},
                                   {"size_bytes", parameter.size_bytes}});
  }
  return Json::Object{
      {"name", kernel.name},
      {"parameters", std::move(parameters)},
      {"registers", kernel.registers},
      {"static_shared_bytes", kernel.static_shared_bytes},
      {"frame_bytes", kernel.frame_bytes},
      {"stack_bytes", kernel.stack_bytes},
      {"barriers", kernel.barriers},
      {"constant_bytes", kernel.constant_bytes},
      {"code_bytes", kernel.code_bytes},
      {"max_block", ExtentJson(kernel.max_block)},
      {"required_block", ExtentJson(kernel.required_block)},
      {"required_cluster", ExtentJson(kernel.required_cluster)},
      {"max_cluster_blocks", kernel.max_cluster_blocks ? Json(*kernel.max_cluster_blocks) : Json()},
      {"device_calls", NamesJson(kernel.device_calls)},
      {"indirect_calls", kernel.indirect_calls}};
}

}  // namespace

Json CubinToJson(const Cubin& cubin) {
  Json kernels = Json::Array{};
  for (const CubinKernel& kernel : cubin.kernels) kernels.Append(KernelJson(kernel));
  Json globals = Json::Array{};
  for (const CubinGlobal& global : cubin.globals) {
    globals.Append(Json::Object{{"name", global.name.empty() ? Json() : Json(global.name)},
                                {"size_bytes", global.size_bytes},
                                {"initialised", global.initialised}});
  }
  Json banks = Json::Array{};
  for (const CubinConstantBank& bank : cubin.constant_banks) {
    banks.Append(Json::Object{{"bank", bank.bank}, {"size_bytes", bank.size_bytes}});
  }
  return Json::Object{
      {"architecture", cubin.architecture},     {"size_bytes", cubin.size_bytes},
      {"kernels", std::move(kernels)},          {"globals", std::move(globals)},
      {"constant_banks", std::move(banks)},     {"device_calls", NamesJson(cubin.device_calls)},
      {"indirect_calls", cubin.indirect_calls}, {"ptx_bytes", cubin.ptx_bytes}};
}

}  // namespace cacheon::artifact
