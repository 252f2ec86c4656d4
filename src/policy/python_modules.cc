// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// The modules of a bundle by path; see python_names.h.

#include <string>
#include <string_view>

#include "src/policy/python_names.h"

namespace cacheon::policy {

std::string ModuleOfFile(std::string_view path) {
  std::string module(path.substr(0, path.size() - std::string_view(".py").size()));
  for (char& c : module) {
    if (c == '/') c = '.';
  }
  constexpr std::string_view kInit = "__init__";
  if (module == kInit) return "";
  if (module.ends_with("." + std::string(kInit))) module.resize(module.size() - kInit.size() - 1);
  return module;
}

bool PackageOfRelative(std::string_view path, int level, std::string& package) {
  std::string_view folder = path.substr(0, path.rfind('/') == path.npos ? 0 : path.rfind('/'));
  for (int i = 1; i < level; ++i) {
    if (folder.empty()) return false;
    const auto slash = folder.rfind('/');
    folder = folder.substr(0, slash == folder.npos ? 0 : slash);
  }
  package = folder;
  for (char& c : package) {
    if (c == '/') c = '.';
  }
  return true;
}

void LocalModules::AddFile(std::string_view path) {
  std::string module = ModuleOfFile(path);
  while (!module.empty()) {
    modules_.insert(module);
    const auto dot = module.rfind('.');
    module.resize(dot == std::string::npos ? 0 : dot);
  }
}

bool LocalModules::HasRoot(std::string_view dotted) const {
  return modules_.contains(dotted.substr(0, dotted.find('.')));
}

}  // namespace cacheon::policy
