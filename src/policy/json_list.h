// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the catalogue's own tables become identity documents.

#include <ranges>
#include <string>
#include <string_view>

#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::policy {

// The items in their order.
template <std::ranges::input_range Texts>
Json JsonList(const Texts& texts) {
  Json::Array list;
  for (const auto& text : texts) list.push_back(Json(std::string_view(text)));
  return list;
}

// The domain digest of a document of our own, which cannot fail.
inline std::string IdentityDigest(std::string_view domain, const Json& payload) {
  Result<std::string> digest = DomainDigest(domain, payload);
  CACHEON_CHECK(digest.has_value(), "a table of the catalogue holds what no identity may hold");
  return *std::move(digest);
}

}  // namespace cacheon::policy
