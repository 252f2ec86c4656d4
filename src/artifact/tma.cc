// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/artifact/tma.h"

#include <fmt/format.h>

#include <utility>

#include "src/artifact/table_reader.h"
#include "src/artifact/tma_words.h"

namespace cacheon::artifact {
namespace {

Result<std::vector<Expression>> ParseList(const Json& table, std::string_view key,
                                          const KeyPath& path) {
  const Json* list = table.Find(key);
  const KeyPath list_path = path.Key(key);
  if (!list->is_array()) {
    return Fail("tm.list", fmt::format("`{}` is a list of expressions, not {}", key, Spell(list)),
                list_path.where());
  }
  std::vector<Expression> expressions;
  for (std::size_t i = 0; i < list->as_array().size(); ++i) {
    ASSIGN_OR_RETURN(Expression expression, ParseExpression(list->as_array()[i], list_path.At(i)));
    expressions.push_back(std::move(expression));
  }
  return expressions;
}

Status CheckCounts(const TmaPlan& plan, const KeyPath& path) {
  const std::size_t rank = plan.global_dims.size();
  if (rank < 1 || rank > kMaxTmaRank) {
    return Fail("tm.rank", fmt::format("a tensor map has rank 1..{}, not {}", kMaxTmaRank, rank),
                path.Key("global_dims").where());
  }
  if (plan.global_strides.size() != rank - 1 || plan.box_dims.size() != rank ||
      plan.element_strides.size() != rank) {
    return Fail("tm.exprs",
                fmt::format("rank {} needs {} global strides, {} box dims and {} element strides, "
                            "not {}, {} and {}",
                            rank, rank - 1, rank, rank, plan.global_strides.size(),
                            plan.box_dims.size(), plan.element_strides.size()),
                path.where());
  }
  return {};
}

Json ListToJson(const std::vector<Expression>& expressions) {
  Json::Array list;
  for (const Expression& expression : expressions) list.push_back(ExpressionToJson(expression));
  return list;
}

}  // namespace

Result<TmaPlan> ParseTmaPlan(const Json& value, const KeyPath& path) {
  static constexpr std::string_view kKeys[] = {
      "binding",         "element_type", "global_dims", "global_strides", "box_dims",
      "element_strides", "interleave",   "swizzle",     "l2_promotion",   "oob_fill"};
  if (!value.is_object()) {
    return Fail("tm.fields", fmt::format("`tma` is a table, not {}", Spell(&value)), path.where());
  }
  if (const auto problem = FindFieldProblem(value.as_object(), kKeys)) {
    return Fail("tm.fields", problem->message, path.where(), problem->hint);
  }
  TmaPlan plan;
  ASSIGN_OR_RETURN(plan.global_dims, ParseList(value, "global_dims", path));
  ASSIGN_OR_RETURN(plan.global_strides, ParseList(value, "global_strides", path));
  ASSIGN_OR_RETURN(plan.box_dims, ParseList(value, "box_dims", path));
  ASSIGN_OR_RETURN(plan.element_strides, ParseList(value, "element_strides", path));
  ASSIGN_OR_RETURN(plan.binding, ParseBindingIndex(value.Find("binding"), path.Key("binding")));
  RETURN_IF_ERROR(CheckCounts(plan, path));
  ASSIGN_OR_RETURN(const TmaWords words, ParseTmaWords(value, path));
  plan.element_type = words.element_type;
  plan.interleave = words.interleave;
  plan.swizzle = words.swizzle;
  plan.l2_promotion = words.l2_promotion;
  plan.oob_fill = words.oob_fill;
  return plan;
}

Json TmaPlanToJson(const TmaPlan& plan) {
  return Json::Object{{"binding", plan.binding},
                      {"box_dims", ListToJson(plan.box_dims)},
                      {"element_strides", ListToJson(plan.element_strides)},
                      {"element_type", plan.element_type->name},
                      {"global_dims", ListToJson(plan.global_dims)},
                      {"global_strides", ListToJson(plan.global_strides)},
                      {"interleave", TmaInterleaveName(plan.interleave)},
                      {"l2_promotion", TmaL2PromotionName(plan.l2_promotion)},
                      {"oob_fill", TmaOobFillName(plan.oob_fill)},
                      {"swizzle", TmaSwizzleName(plan.swizzle)}};
}

}  // namespace cacheon::artifact
