// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "cacheon/bundle/content_hash.h"
#include "src/cli/verbs.h"

namespace cacheon::cli {
namespace {

Result<ExitStatus> Run(const Arguments& arguments) {
  const std::string root = arguments.Positional(0);
  ASSIGN_OR_RETURN(const bundle::ContentIdentity identity, bundle::HashTree(root));
  if (!arguments.Has("--json")) {
    RETURN_IF_ERROR(Print(identity.hash + "\n"));
    return ExitStatus::kAccepted;
  }
  Json files = Json::Array{};
  for (const bundle::TreeEntry& file : identity.files) files.Append(file.path);
  const Json document = Json::Object{{"schema", "cacheon.hash.v1"},
                                     {"content_hash", identity.hash},
                                     {"content_bytes", identity.content_bytes},
                                     {"files", std::move(files)}};
  RETURN_IF_ERROR(WriteDocument(arguments, "--json", PrettyJson(document)));
  return ExitStatus::kAccepted;
}

}  // namespace

const Verb kHash = {.name = "hash",
                    .summary = "the content hash of a bundle: its identity",
                    .positionals = {{"BUNDLE", "a bundle's folder"}},
                    .flags = {kJsonFlag},
                    .run = Run};

}  // namespace cacheon::cli
