// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/slots/tensor_json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cacheon::slots {
namespace {

Json Parse(std::string_view text) { return ReadJson(text).value(); }

void ExpectRefused(std::string_view text, std::string_view code, std::string_view place) {
  const auto outputs = RunReference(*FindSlot("norm.rmsnorm"), Parse(text));
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().code.text(), code);
  EXPECT_EQ(outputs.error().where.key_path, place);
}

TEST(TensorJson, KeepsValuesAndSpellings) {
  const Json json =
      Parse(R"({"dtype": "float32", "shape": [2, 2], "data": [0.1, "-inf", "nan", 3]})");
  const auto tensor = ReadTensorJson(json, "x");
  ASSERT_TRUE(tensor.has_value());
  EXPECT_EQ(tensor::Elements<float>(tensor->view())[0], 0.1F);
  EXPECT_EQ(tensor::Elements<float>(tensor->view())[1], -INFINITY);
  const Json written = TensorJson(tensor->view());
  EXPECT_EQ(written.Find("data")->as_array()[0], Json(0.1));
  EXPECT_EQ(written.Find("data")->as_array()[2], Json("nan"));
}

TEST(TensorJson, KeepsIntegers) {
  const Json json =
      Parse(R"({"dtype": "int32", "shape": [3], "data": [-1, 2147483647, -2147483648]})");
  const auto tensor = ReadTensorJson(json, "ids");
  ASSERT_TRUE(tensor.has_value());
  EXPECT_EQ(TensorJson(tensor->view()), json);
}

TEST(TensorJson, RefusesIntegersThatDoNotFit) {
  const auto tensor = ReadTensorJson(
      Parse(R"({"dtype": "int32", "shape": [1], "data": [2147483648]})"), "inputs.ids");
  ASSERT_FALSE(tensor.has_value());
  EXPECT_EQ(tensor.error().code.text(), "slot.tensor_form");
  EXPECT_EQ(tensor.error().where.key_path, "inputs.ids");
}

TEST(RunReference, NormalisesARow) {
  const auto outputs = RunReferenceJson(*FindSlot("norm.rmsnorm"), Parse(R"({
      "dtype": "float32", "inputs": {
        "x": {"dtype": "float32", "shape": [1, 2], "data": [3, 4]},
        "weight": {"dtype": "float32", "shape": [2], "data": [1, 2]}, "eps": 0.5}})"));
  ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
  const Json& out = *outputs->Find("out");
  EXPECT_EQ(*out.Find("shape"), Parse("[1, 2]"));
  const double root = std::sqrt(12.5 + 0.5);
  EXPECT_NEAR(out.Find("data")->as_array()[0].as_double(), 3 / root, 1e-7);
  EXPECT_NEAR(out.Find("data")->as_array()[1].as_double(), 8 / root, 1e-7);
}

TEST(RunReference, RefusesDataThatDoesNotFitTheShape) {
  ExpectRefused(R"({"dtype": "float32", "inputs": {"eps": 0.5,
      "x": {"dtype": "float32", "shape": [1, 2], "data": [3]}}})",
                "slot.tensor_form", "inputs.x");
}

TEST(RunReference, RefusesACaseWithoutDType) {
  ExpectRefused(R"({"inputs": {}})", "slot.tensor_form", "dtype");
}

TEST(RunReference, RefusesAMissingArgument) {
  ExpectRefused(R"({"dtype": "float32", "inputs": {"eps": 0.5,
      "x": {"dtype": "float32", "shape": [1, 2], "data": [3, 4]}}})",
                "slot.argument", "weight");
}

TEST(RunReference, RefusesAnotherDTypeThanTheCalls) {
  ExpectRefused(R"({"dtype": "bfloat16", "inputs": {"eps": 0.5,
      "x": {"dtype": "float32", "shape": [1, 2], "data": [3, 4]}}})",
                "slot.dtype", "x");
}

TEST(RunReference, RefusesShapesThatDoNotFitTogether) {
  ExpectRefused(R"({"dtype": "float32", "inputs": {"eps": 0.5,
      "x": {"dtype": "float32", "shape": [1, 2], "data": [3, 4]},
      "weight": {"dtype": "float32", "shape": [3], "data": [1, 2, 3]}}})",
                "slot.shape", "weight");
}

TEST(RunReference, RefusesAnOddRowOfTwoHalves) {
  const auto outputs = RunReference(*FindSlot("activation.silu_and_mul"), Parse(R"({
      "dtype": "float32", "inputs": {"x": {"dtype": "float32", "shape": [3], "data": [1, 2, 3]}}})"));
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().code.text(), "slot.shape");
  EXPECT_EQ(outputs.error().where.key_path, "x");
}

}  // namespace
}  // namespace cacheon::slots
