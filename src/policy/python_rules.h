// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules over the syntax tree of one Python file. Each function is one family; together they are
// sections 2.1 to 2.5 of the static policy. Rules of the floor hold in both modes.

#include <string>
#include <string_view>

#include "src/policy/python_facts.h"
#include "src/policy/python_names.h"
#include "src/policy/python_scopes.h"
#include "src/policy/scan_findings.h"
#include "src/policy/scan_source.h"

namespace cacheon::policy {

// What the rules look at; all of it outlives the check.
struct PythonFile {
  const std::string& path;
  const PythonTree& tree;
  const PythonScopes& scopes;
  const PythonNames& names;
  const LocalModules& modules;
  const ScanBundle& bundle;

  SourcePlace PlaceOf(std::int32_t node) const {
    return {tree[node].line, tree[node].column_bytes};
  }
};

// py.import_denied, py.import_validator, py.importfrom_name, py.import_not_allowed, py.starimport,
// py.closure.
void CheckImports(const PythonFile& file, Findings& findings);
// py.builtin, py.builtin_ref, py.dynattr, py.dunder, py.escape_attr, py.deserialize, py.dyncode.
void CheckEscapes(const PythonFile& file, Findings& findings);
// py.compile_not_admitted.
void CheckCompile(const PythonFile& file, Findings& findings);
// py.frame, py.modules, py.indirect_attr, py.register, py.native_load, py.fileio, py.process_exit,
// py.capture_branch, py.torch_name_not_allowed.
void CheckUses(const PythonFile& file, Findings& findings);
// py.monkeypatch, py.register, py.modules.
void CheckWrites(const PythonFile& file, Findings& findings);
// py.torch_result_reuse.
void CheckResultReuse(const PythonFile& file, Findings& findings);
// py.magic_def, py.decorator, triton.autotune.
void CheckDefinitions(const PythonFile& file, Findings& findings);
// py.toplevel.
void CheckTopLevel(const PythonFile& file, Findings& findings);
// py.string_exec_hint, py.dyncode, py.indirect_attr.
void CheckConstants(const PythonFile& file, Findings& findings);
// triton.*, except triton.no_jit_reached.
void CheckTriton(const PythonFile& file, Findings& findings);

// Reports the rule that forbids the use of a dotted name; false when none does.
bool ReportUse(std::string_view dotted, SourcePlace place, Findings& findings);

// True for a function that a decorator named `jit` makes a kernel.
bool IsJitFunction(const PythonTree& tree, std::int32_t function);

// The last part of a name or attribute, with its receiver when that is a plain name: "os.system".
std::string SymbolOf(const PythonTree& tree, std::int32_t node);

// `a.b.c` without its last part.
std::string_view DottedParent(std::string_view dotted);
std::string_view DottedLeaf(std::string_view dotted);
std::string_view DottedRoot(std::string_view dotted);

}  // namespace cacheon::policy
