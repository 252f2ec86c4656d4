// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/tma.json: checks of resolved tensor maps and the arguments of the driver.

#include "cacheon/artifact/tma_descriptor.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

template <typename T>
Json List(const std::array<T, artifact::kMaxTmaRank>& numbers, int count) {
  Json::Array list;
  for (int i = 0; i < count; ++i) {
    list.emplace_back(static_cast<std::int64_t>(numbers[static_cast<std::size_t>(i)]));
  }
  return list;
}

Result<Json> Resolve(const Json& the_case) {
  ASSIGN_OR_RETURN(const artifact::TmaArguments arguments,
                   artifact::ParseTmaDescriptor(FieldOf(the_case, "descriptor"),
                                                artifact::KeyPath("descriptor")));
  return Json::Object{{"tensorDataType", arguments.data_type},
                      {"tensorRank", arguments.rank},
                      {"globalAddress", arguments.address},
                      {"globalDim", List(arguments.global_dims, arguments.rank)},
                      {"globalStrides", List(arguments.global_strides, arguments.rank - 1)},
                      {"boxDim", List(arguments.box_dims, arguments.rank)},
                      {"elementStrides", List(arguments.element_strides, arguments.rank)},
                      {"interleave", arguments.interleave},
                      {"swizzle", arguments.swizzle},
                      {"l2Promotion", arguments.l2_promotion},
                      {"oobFill", arguments.oob_fill}};
}

CaseResult Descriptor(const Json& the_case, std::string name) {
  return CompareOk(the_case, std::move(name), FieldOf(the_case, "driver_args"), Resolve(the_case));
}

}  // namespace

Cases RunTma(const Json& document) { return RunLists(document, {{"cases", Descriptor}}); }

}  // namespace cacheon::conformance
