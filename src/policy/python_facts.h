// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The syntax tree of one Python file, as the parser child reports it.
//
// Wire form. A request is a little-endian 32-bit length and that many bytes of source; an answer is
// the same with one JSON text:
//
//   {"status":"ready","version":[3,11]}                           once, when the child has started
//   {"status":"ok","strings":[...],"nodes":[...]}
//   {"status":"syntax","message":"...","line":L,"column":C}       what CPython's parser says
//   {"status":"limit","message":"..."}                            it gave up: memory or recursion
//
// `nodes` holds eight integers per node, parents before children and children in source order:
// parent, field (of the parent), kind, line, column (bytes), text, other, flag. Field, kind and
// text are indices into `strings`, -1 is none. The last three mean:
//
//   kind                      text                    other            flag
//   Name, Attribute, def, ... identifier              -                0 load, 1 store, 2 delete
//   alias                     dotted name             asname           -
//   ImportFrom                module                  -                level
//   Global, Nonlocal          names, comma separated  -                -
//   BinOp, UnaryOp, ...       operator                -                -
//   Constant                  see PythonConstant      length or truth  PythonConstant
//
// One flat array of numbers was chosen over nested objects: it is read in one pass without
// recursion, and its size bounds the memory it takes. Everything is checked while reading, because
// a file that breaks the child's parser may choose the child's answers.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cacheon/core/result.h"

namespace cacheon::policy {

// The node kinds that rules speak of; the others are kOther.
enum class PythonKind : std::uint8_t {
  kOther,
  kModule,
  kFunctionDef,
  kAsyncFunctionDef,
  kLambda,
  kClassDef,
  kReturn,
  kDelete,
  kAssign,
  kAugAssign,
  kAnnAssign,
  kFor,
  kAsyncFor,
  kWhile,
  kIf,
  kWith,
  kAsyncWith,
  kMatch,
  kRaise,
  kTry,
  kTryStar,
  kAssert,
  kImport,
  kImportFrom,
  kGlobal,
  kNonlocal,
  kExpr,
  kPass,
  kBinOp,
  kBoolOp,
  kNamedExpr,
  kUnaryOp,
  kIfExp,
  kDict,
  kSet,
  kListComp,
  kSetComp,
  kDictComp,
  kGeneratorExp,
  kAwait,
  kYield,
  kYieldFrom,
  kCompare,
  kCall,
  kFormattedValue,
  kJoinedStr,
  kConstant,
  kAttribute,
  kSubscript,
  kStarred,
  kName,
  kList,
  kTuple,
  kSlice,
  kComprehension,
  kExceptHandler,
  kArguments,
  kArg,
  kKeyword,
  kAlias,
  kWithitem,
  kMatchAs,
  kMatchStar,
  kMatchMapping,
  kTypeAlias,
  kTypeVar,
};

// The fields that rules speak of; the others are kOther.
enum class PythonField : std::uint8_t {
  kOther,
  kBody,
  kOrelse,
  kArgs,
  kPosonlyargs,
  kKwonlyargs,
  kVararg,
  kKwarg,
  kDefaults,
  kKwDefaults,
  kAnnotation,
  kReturns,
  kDecoratorList,
  kBases,
  kKeywords,
  kValue,
  kValues,
  kKeys,
  kTargets,
  kTarget,
  kFunc,
  kElts,
  kTest,
  kLeft,
  kRight,
  kOperand,
  kIter,
  kGenerators,
  kSlice,
  kExc,
  kNames,
  kContextExpr,
  kOptionalVars,
  kLower,
  kUpper,
  kStep,
  kElt,
};

enum class PythonConstant : std::uint8_t {
  kNone,
  kBool,
  kInt,
  kFloat,
  kComplex,
  kStr,
  kBytes,
  kEllipsis,
};

inline constexpr std::int32_t kNoNode = -1;

struct PythonNode {
  PythonKind kind = PythonKind::kOther;
  PythonField field = PythonField::kOther;
  std::int32_t parent = kNoNode;
  std::int32_t end = 0;           // one past the last node below this one
  std::int32_t line = 0;          // from 1; 0 is unknown
  std::int32_t column_bytes = 0;  // from 0
  std::string_view text = {};     // into the tree's strings
  std::string_view other = {};    // kAlias only: asname
  std::int32_t length = 0;        // kConstant only: of str and bytes; of bool its truth
  std::int32_t flag = 0;

  bool loads() const { return flag == 0; }
  PythonConstant constant() const { return static_cast<PythonConstant>(flag); }
  bool is_string() const {
    return kind == PythonKind::kConstant && constant() == PythonConstant::kStr;
  }
};

// Nodes in pre-order: node 0 is the module, the children of node i begin at i + 1.
class PythonTree {
 public:
  PythonTree() = default;
  PythonTree(PythonTree&&) noexcept = default;  // strings stay where they are; a copy would not
  PythonTree& operator=(PythonTree&&) noexcept = default;

  std::int32_t size() const { return static_cast<std::int32_t>(nodes_.size()); }
  const PythonNode& operator[](std::int32_t index) const {
    return nodes_[static_cast<std::size_t>(index)];
  }
  // The first child in that field, or kNoNode. Of no node there are none: an answer may lack parts
  // that every program has.
  std::int32_t Child(std::int32_t index, PythonField field) const;
  // All children in that field, in source order.
  std::vector<std::int32_t> Children(std::int32_t index, PythonField field) const;
  // The nearest ancestor of that kind, or kNoNode.
  std::int32_t Ancestor(std::int32_t index, PythonKind kind) const;

 private:
  friend class PythonFactsReader;
  std::vector<std::string> strings_;
  std::vector<PythonNode> nodes_;
};

enum class PythonParseStatus { kReady, kOk, kSyntax, kLimit };

struct PythonParse {
  PythonParseStatus status = PythonParseStatus::kOk;
  PythonTree tree;      // kOk
  std::string message;  // kSyntax, kLimit
  int line = 0;         // kSyntax; 0 when unknown
  int column = 0;       // kSyntax, from 1 in code points
  int version = 0;      // kReady: minor version of Python 3
};

// The limits of one answer.
inline constexpr std::size_t kMaxFactsBytes = 64U << 20U;
inline constexpr std::int32_t kMaxFactsNodes = 400'000;
inline constexpr std::size_t kMaxFactsStrings = 400'000;
inline constexpr std::int32_t kMaxFactsDepth = 20'000;

// Reads one answer. `line_lengths` are the byte lengths of the source's lines: a node whose
// position is outside them gets that of its parent. Code: scan.parser_failed.
Result<PythonParse> ReadPythonFacts(std::string_view json,
                                    const std::vector<std::int32_t>& line_lengths);

}  // namespace cacheon::policy
