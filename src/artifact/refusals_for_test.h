// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tests of refusals: each names the input, the code and the place. JSON is written with single
// quotes, which are turned into double ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "cacheon/core/error.h"
#include "cacheon/core/json.h"
#include "cacheon/core/result.h"

namespace cacheon::artifact {

inline Json J(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return ReadJson(text).value();
}

struct Refusal {
  std::string text;
  std::string_view code;
  std::string_view key_path;
};

// Requires that `parse(J(text))` fails with the code at the key path, in every case.
template <typename Parse>
void ExpectRefusals(std::initializer_list<Refusal> refusals, Parse parse) {
  for (const Refusal& refusal : refusals) {
    const auto result = parse(J(refusal.text));
    if (result.has_value()) {
      ADD_FAILURE() << refusal.text << " was accepted";
      continue;
    }
    EXPECT_EQ(result.error().code.text(), refusal.code) << refusal.text;
    EXPECT_EQ(result.error().where.key_path, refusal.key_path) << refusal.text;
    EXPECT_FALSE(result.error().message.empty());
  }
}

inline std::string Repeat(std::string_view piece, int count, std::string_view separator = ",") {
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += separator;
    text += piece;
  }
  return text;
}

// An expression of one constant, and one that reads a dim of binding 0.
inline constexpr std::string_view kOne =
    "{'nodes':[{'op':'const','value':1}],'result':0,'schema':'cacheon.cuda-expression-dag.v1'}";
inline constexpr std::string_view kDim =
    "{'nodes':[{'op':'tensor_dim','binding':0,'axis':0}],'result':0,"
    "'schema':'cacheon.cuda-expression-dag.v1'}";

}  // namespace cacheon::artifact
