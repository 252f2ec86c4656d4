// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/artifact/export_json.h"

#include <utility>

namespace cacheon::artifact {

Json RequirementsToJson(const std::vector<ProviderRequirement>& requirements) {
  Json::Array rows;
  for (const ProviderRequirement& requirement : requirements) {
    rows.emplace_back(Json::Object{{"capability", requirement.capability},
                                   {"projection", requirement.projection},
                                   {"source", requirement.source}});
  }
  return rows;
}

Json RequirementsToJson(const std::vector<SpecializationRequirement>& requirements) {
  Json::Array rows;
  for (const SpecializationRequirement& requirement : requirements) {
    rows.emplace_back(Json::Object{{"capability_field", requirement.capability_field},
                                   {"source", requirement.source}});
  }
  return rows;
}

}  // namespace cacheon::artifact
