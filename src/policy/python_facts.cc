// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/policy/python_facts.h"

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace cacheon::policy {
namespace {

using K = PythonKind;
using F = PythonField;

constexpr std::pair<std::string_view, K> kKinds[] = {
    {"Module", K::kModule},
    {"FunctionDef", K::kFunctionDef},
    {"AsyncFunctionDef", K::kAsyncFunctionDef},
    {"Lambda", K::kLambda},
    {"ClassDef", K::kClassDef},
    {"Return", K::kReturn},
    {"Delete", K::kDelete},
    {"Assign", K::kAssign},
    {"AugAssign", K::kAugAssign},
    {"AnnAssign", K::kAnnAssign},
    {"For", K::kFor},
    {"AsyncFor", K::kAsyncFor},
    {"While", K::kWhile},
    {"If", K::kIf},
    {"With", K::kWith},
    {"AsyncWith", K::kAsyncWith},
    {"Match", K::kMatch},
    {"Raise", K::kRaise},
    {"Try", K::kTry},
    {"TryStar", K::kTryStar},
    {"Assert", K::kAssert},
    {"Import", K::kImport},
    {"ImportFrom", K::kImportFrom},
    {"Global", K::kGlobal},
    {"Nonlocal", K::kNonlocal},
    {"Expr", K::kExpr},
    {"Pass", K::kPass},
    {"BinOp", K::kBinOp},
    {"BoolOp", K::kBoolOp},
    {"NamedExpr", K::kNamedExpr},
    {"UnaryOp", K::kUnaryOp},
    {"IfExp", K::kIfExp},
    {"Dict", K::kDict},
    {"Set", K::kSet},
    {"ListComp", K::kListComp},
    {"SetComp", K::kSetComp},
    {"DictComp", K::kDictComp},
    {"GeneratorExp", K::kGeneratorExp},
    {"Await", K::kAwait},
    {"Yield", K::kYield},
    {"YieldFrom", K::kYieldFrom},
    {"Compare", K::kCompare},
    {"Call", K::kCall},
    {"FormattedValue", K::kFormattedValue},
    {"JoinedStr", K::kJoinedStr},
    {"Constant", K::kConstant},
    {"Attribute", K::kAttribute},
    {"Subscript", K::kSubscript},
    {"Starred", K::kStarred},
    {"Name", K::kName},
    {"List", K::kList},
    {"Tuple", K::kTuple},
    {"Slice", K::kSlice},
    {"comprehension", K::kComprehension},
    {"ExceptHandler", K::kExceptHandler},
    {"arguments", K::kArguments},
    {"arg", K::kArg},
    {"keyword", K::kKeyword},
    {"alias", K::kAlias},
    {"withitem", K::kWithitem},
    {"MatchAs", K::kMatchAs},
    {"MatchStar", K::kMatchStar},
    {"MatchMapping", K::kMatchMapping},
    {"TypeAlias", K::kTypeAlias},
    {"TypeVar", K::kTypeVar},
    {"ParamSpec", K::kTypeVar},
    {"TypeVarTuple", K::kTypeVar},
};

constexpr std::pair<std::string_view, F> kFields[] = {
    {"body", F::kBody},
    {"orelse", F::kOrelse},
    {"args", F::kArgs},
    {"posonlyargs", F::kPosonlyargs},
    {"kwonlyargs", F::kKwonlyargs},
    {"vararg", F::kVararg},
    {"kwarg", F::kKwarg},
    {"defaults", F::kDefaults},
    {"kw_defaults", F::kKwDefaults},
    {"annotation", F::kAnnotation},
    {"returns", F::kReturns},
    {"decorator_list", F::kDecoratorList},
    {"bases", F::kBases},
    {"keywords", F::kKeywords},
    {"value", F::kValue},
    {"values", F::kValues},
    {"keys", F::kKeys},
    {"targets", F::kTargets},
    {"target", F::kTarget},
    {"func", F::kFunc},
    {"elts", F::kElts},
    {"test", F::kTest},
    {"left", F::kLeft},
    {"right", F::kRight},
    {"operand", F::kOperand},
    {"iter", F::kIter},
    {"generators", F::kGenerators},
    {"slice", F::kSlice},
    {"exc", F::kExc},
    {"names", F::kNames},
    {"context_expr", F::kContextExpr},
    {"optional_vars", F::kOptionalVars},
    {"lower", F::kLower},
    {"upper", F::kUpper},
    {"step", F::kStep},
    {"elt", F::kElt},
};

template <typename Value, std::size_t N>
Value Lookup(const std::pair<std::string_view, Value> (&table)[N], std::string_view name) {
  static const std::map<std::string_view, Value> kMap(std::begin(table), std::end(table));
  const auto found = kMap.find(name);
  return found == kMap.end() ? Value::kOther : found->second;
}

constexpr std::size_t kColumns = 8;
constexpr std::size_t kMaxStringBytes = 16'400;  // 4096 code points, or one identifier

// Collects the few keys that an answer may have. Every other shape ends the reading.
class AnswerHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::string status;
  std::string message;
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::vector<std::int64_t> version;
  std::vector<std::string> strings;
  std::vector<std::int32_t> numbers;

  bool null() override { return false; }
  bool boolean(bool) override { return false; }
  bool number_float(double, const std::string&) override { return false; }
  bool binary(binary_t&) override { return false; }
  bool number_unsigned(std::uint64_t value) override {
    return value <= INT32_MAX && Number(static_cast<std::int32_t>(value));
  }
  bool number_integer(std::int64_t value) override {
    return value >= -1 && value <= INT32_MAX && Number(static_cast<std::int32_t>(value));
  }
  bool string(std::string& value) override {
    if (value.size() > kMaxStringBytes) return false;
    if (depth_ == 1 && key_ == "status") return Take(status, value);
    if (depth_ == 1 && key_ == "message") return Take(message, value);
    if (depth_ != 2 || key_ != "strings" || strings.size() >= kMaxFactsStrings) return false;
    strings.push_back(std::move(value));
    return true;
  }
  bool start_object(std::size_t) override { return depth_++ == 0; }
  bool end_object() override { return --depth_ == 0; }
  bool start_array(std::size_t) override { return depth_++ == 1; }
  bool end_array() override { return --depth_ == 1; }
  bool key(std::string& value) override { return Take(key_, value); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  static bool Take(std::string& to, std::string& from) {
    to = std::move(from);
    return true;
  }
  bool Number(std::int32_t value) {
    if (depth_ == 1 && key_ == "line") return line = value, true;
    if (depth_ == 1 && key_ == "column") return column = value, true;
    if (depth_ == 2 && key_ == "version" && version.size() < 2) {
      version.push_back(value);
      return true;
    }
    if (depth_ != 2 || key_ != "nodes") return false;
    if (numbers.size() >= kColumns * static_cast<std::size_t>(kMaxFactsNodes)) return false;
    numbers.push_back(value);
    return true;
  }

  std::string key_;
  int depth_ = 0;
};

std::unexpected<Error> Malformed(std::string_view what) {
  return Fail("scan.parser_failed", "the parser's answer is malformed: " + std::string(what));
}

}  // namespace

// Turns the flat rows into checked nodes.
class PythonFactsReader {
 public:
  PythonFactsReader(AnswerHandler answer, const std::vector<std::int32_t>& line_lengths)
      : numbers_(std::move(answer.numbers)), line_lengths_(line_lengths) {
    tree_.strings_ = std::move(answer.strings);
  }

  Result<PythonTree> Read() {
    if (numbers_.empty() || numbers_.size() % kColumns != 0) return Malformed("node rows");
    for (const std::string& text : tree_.strings_) {
      kinds_.push_back(Lookup(kKinds, text));
      fields_.push_back(Lookup(kFields, text));
    }
    const auto count = static_cast<std::int32_t>(numbers_.size() / kColumns);
    tree_.nodes_.resize(static_cast<std::size_t>(count));
    for (std::int32_t i = 0; i < count; ++i) RETURN_IF_ERROR(ReadNode(i));
    CloseDownTo(0, count);
    return std::move(tree_);
  }

 private:
  PythonNode& At(std::int32_t index) { return tree_.nodes_[static_cast<std::size_t>(index)]; }

  // Nodes that are still open after the first `depth` end before `end`.
  void CloseDownTo(std::size_t depth, std::int32_t end) {
    while (open_.size() > depth) {
      At(open_.back()).end = end;
      open_.pop_back();
    }
  }

  bool Text(std::int32_t index, std::string_view& text) const {
    if (index < -1 || index >= static_cast<std::int64_t>(tree_.strings_.size())) return false;
    if (index >= 0) text = tree_.strings_[static_cast<std::size_t>(index)];
    return true;
  }

  Status ReadNode(std::int32_t index) {
    const std::int32_t* row = &numbers_[kColumns * static_cast<std::size_t>(index)];
    PythonNode& node = At(index);
    RETURN_IF_ERROR(Place(index, row[0]));
    const auto strings = static_cast<std::int64_t>(tree_.strings_.size());
    if (row[1] < -1 || row[1] >= strings || row[2] < 0 || row[2] >= strings)
      return Malformed("field or kind");
    if (row[1] >= 0) node.field = fields_[static_cast<std::size_t>(row[1])];
    node.kind = kinds_[static_cast<std::size_t>(row[2])];
    if ((index == 0) != (node.kind == K::kModule)) return Malformed("module node");
    TakePosition(node, row[3], row[4]);
    if (!Text(row[5], node.text)) return Malformed("text");
    node.flag = row[7];
    if (node.kind == K::kConstant) {
      if (node.flag < 0 || node.flag > static_cast<int>(PythonConstant::kEllipsis))
        return Malformed("constant");
      node.length = row[6];
    } else if (!Text(row[6], node.other)) {
      return Malformed("other");
    }
    return {};
  }

  // The parent must be the previous node or one that is still open: only then is this pre-order.
  Status Place(std::int32_t index, std::int32_t parent) {
    At(index).parent = parent;
    if (index == 0) {
      if (parent != kNoNode) return Malformed("root");
    } else {
      std::size_t depth = open_.size();
      while (depth > 0 && open_[depth - 1] > parent) --depth;
      if (depth == 0 || open_[depth - 1] != parent) return Malformed("parent");
      CloseDownTo(depth, index);
    }
    if (open_.size() >= static_cast<std::size_t>(kMaxFactsDepth)) return Malformed("depth");
    open_.push_back(index);
    return {};
  }

  // CPython 3.11 misplaces some parts of f-strings; a place outside the source becomes the
  // parent's.
  void TakePosition(PythonNode& node, std::int32_t line, std::int32_t column_bytes) {
    const bool exists = line > 0 && column_bytes >= 0 &&
                        static_cast<std::size_t>(line) <= line_lengths_.size() &&
                        column_bytes <= line_lengths_[static_cast<std::size_t>(line) - 1];
    if (exists) {
      node.line = line;
      node.column_bytes = column_bytes;
    } else if (node.parent != kNoNode) {
      node.line = At(node.parent).line;
      node.column_bytes = At(node.parent).column_bytes;
    }
  }

  std::vector<std::int32_t> numbers_;
  const std::vector<std::int32_t>& line_lengths_;
  PythonTree tree_;
  std::vector<K> kinds_;
  std::vector<F> fields_;
  std::vector<std::int32_t> open_;
};

Result<PythonParse> ReadPythonFacts(std::string_view json,
                                    const std::vector<std::int32_t>& line_lengths) {
  if (json.size() > kMaxFactsBytes) return Malformed("size");
  AnswerHandler answer;
  bool read = false;
  try {
    read = nlohmann::json::sax_parse(json.begin(), json.end(), &answer);
  } catch (const nlohmann::json::exception&) {
    read = false;
  }
  if (!read) return Malformed("not the expected JSON");
  PythonParse parse;
  parse.message = std::move(answer.message);
  parse.line = static_cast<int>(answer.line);
  parse.column = static_cast<int>(answer.column);
  if (answer.status == "syntax") {
    parse.status = PythonParseStatus::kSyntax;
  } else if (answer.status == "limit") {
    parse.status = PythonParseStatus::kLimit;
  } else if (answer.status == "ready" && answer.version.size() == 2 && answer.version[0] == 3) {
    parse.status = PythonParseStatus::kReady;
    parse.version = static_cast<int>(answer.version[1]);
  } else if (answer.status == "ok") {
    ASSIGN_OR_RETURN(parse.tree, PythonFactsReader(std::move(answer), line_lengths).Read());
  } else {
    return Malformed("status");
  }
  return parse;
}

std::int32_t PythonTree::Child(std::int32_t index, PythonField field) const {
  if (index == kNoNode) return kNoNode;
  for (std::int32_t i = index + 1; i < (*this)[index].end; i = (*this)[i].end) {
    if ((*this)[i].field == field) return i;
  }
  return kNoNode;
}

std::vector<std::int32_t> PythonTree::Children(std::int32_t index, PythonField field) const {
  std::vector<std::int32_t> children;
  if (index == kNoNode) return children;
  for (std::int32_t i = index + 1; i < (*this)[index].end; i = (*this)[i].end) {
    if ((*this)[i].field == field) children.push_back(i);
  }
  return children;
}

std::int32_t PythonTree::Ancestor(std::int32_t index, PythonKind kind) const {
  for (std::int32_t i = (*this)[index].parent; i != kNoNode; i = (*this)[i].parent) {
    if ((*this)[i].kind == kind) return i;
  }
  return kNoNode;
}

}  // namespace cacheon::policy
