// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// artifact/expressions.json: reading and evaluating expressions.

#include "cacheon/artifact/evaluate.h"
#include "cacheon/artifact/expression.h"
#include "src/conformance/artifact_cases.h"
#include "src/conformance/file_kinds.h"

namespace cacheon::conformance {
namespace {

Result<Json> Parse(const Json& the_case) {
  ASSIGN_OR_RETURN(
      const artifact::Expression expression,
      artifact::ParseExpression(FieldOf(the_case, "expression"), artifact::KeyPath("expression")));
  return artifact::ExpressionToJson(expression);
}

CaseResult Schema(const Json& the_case, std::string name) {
  return CompareOk(the_case, std::move(name), FieldOf(the_case, "canonical"), Parse(the_case));
}

Result<Json> Evaluate(const Json& the_case, const Json& frame) {
  ASSIGN_OR_RETURN(
      const artifact::Expression expression,
      artifact::ParseExpression(FieldOf(the_case, "expression"), artifact::KeyPath("expression")));
  ASSIGN_OR_RETURN(const std::vector<artifact::LiveValue> live, ReadLiveFrame(frame));
  ASSIGN_OR_RETURN(const artifact::ExprValue value, artifact::EvaluateExpression(expression, live));
  return TypedValue(value);
}

}  // namespace

Cases RunExpressions(const Json& document) {
  const Json& frame = FieldOf(document, "frame");
  const auto evaluation = [&](const Json& the_case, std::string name) {
    return CompareOk(the_case, std::move(name), FieldOf(the_case, "result"),
                     Evaluate(the_case, frame));
  };
  return RunLists(document, {{"evaluate", evaluation}, {"schema", Schema}});
}

}  // namespace cacheon::conformance
