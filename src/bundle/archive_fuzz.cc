// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

// The tar reader and the rules of members, over any bytes as the tar inside the gzip; and the whole
// extraction over the same bytes as the archive itself. Nothing may appear outside the destination,
// and nothing at all when the archive is refused.

#include <fcntl.h>

#include <cstdint>
#include <filesystem>
#include <iterator>

#include "cacheon/bundle/archive.h"
#include "cacheon/core/code.h"
#include "cacheon/core/unique_fd.h"
#include "src/bundle/gzip_stream.h"
#include "src/bundle/scratch_tree_for_test.h"

namespace cacheon::bundle {
namespace {

namespace fs = std::filesystem;

void UnpackFile(const ScratchTree& tree, const std::string& archive) {
  const std::string out = tree.Path("out");
  const auto report = UnpackArchive(archive, out);
  const auto names = std::distance(fs::directory_iterator(tree.root()), fs::directory_iterator());
  CACHEON_CHECK(names == (report ? 2 : 1), "extraction left something beside its destination");
  if (report) {
    CACHEON_CHECK(CheckExtractedTree(out, report->content_hash).has_value(), "it does not hold");
  } else {
    CACHEON_CHECK(FindCodePage(report.error().code.text()) != nullptr, "a code without a page");
  }
  fs::remove_all(out);
}

}  // namespace
}  // namespace cacheon::bundle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cacheon;          // NOLINT(google-build-using-namespace)
  using namespace cacheon::bundle;  // NOLINT(google-build-using-namespace)
  static const ScratchTree tree;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string path = tree.Path("in");
  tree.File("in", bytes);
  UnpackFile(tree, path);
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  GzipWriter writer(fd.get(), kMaxArchiveBytes);
  CACHEON_CHECK(writer.Write(bytes).has_value() && writer.Finish().has_value(), "cannot compress");
  UnpackFile(tree, path);
  return 0;
}
