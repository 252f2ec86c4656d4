// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The members of a tar stream, with PAX and GNU extensions merged. Everything about the stream
// itself is checked here (bundle.md section 3.3, pass 1); what a member may be called is not.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cacheon/core/result.h"
#include "src/bundle/gzip_stream.h"

namespace cacheon::bundle {

enum class MemberKind {
  kFile,
  kDirectory,
  kOther,  // link, device, FIFO, sparse file or a type that nobody knows
};

struct TarMember {
  std::string name;  // as it stands in the archive, raw bytes
  MemberKind kind = MemberKind::kFile;
  std::uint64_t size_bytes = 0;
};

class TarReader {
 public:
  explicit TarReader(GzipReader& stream);

  // The next member, or nullopt after the end markers, when the rest of the stream is zero. Skips
  // what is left of the content of the member before. Codes: those of GzipReader::Read,
  // archive.corrupt, archive.too_many_headers, archive.extension_header, archive.extension_total,
  // archive.end_markers_missing, archive.data_after_end.
  Result<std::optional<TarMember>> Next();

  // Some bytes of the current member's content; empty at its end. Valid until the next call.
  Result<std::span<const char>> Content();

 private:
  // What extension headers say about the member that follows.
  struct Extensions {
    std::optional<std::string> name = std::nullopt;
    std::optional<std::uint64_t> size_bytes = std::nullopt;
    bool sparse = false;
    bool any = false;
  };

  Result<std::optional<std::span<const char>>> ReadBlock();
  Result<std::string> ReadExtension(std::uint64_t size_bytes);
  Status TakeExtension(char type, const std::string& payload, Extensions& extensions);
  Status FinishStream();

  GzipReader& stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what is not used in `buffer_`
  std::size_t end_ = 0;
  std::uint64_t content_left_ = 0;
  std::size_t padding_left_ = 0;
  std::uint64_t headers_ = 0;
  std::uint64_t extension_bytes_ = 0;
};

}  // namespace cacheon::bundle
