// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// gzip through zlib, as a stream in each direction.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "cacheon/core/result.h"

namespace cacheon::bundle {

// Inflates a file that holds one or more gzip members, with zeros between or after them. Checks
// every CRC and length.
class GzipReader {
 public:
  // `fd` is read from where it stands and must stay open.
  explicit GzipReader(int fd);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;  // zlib's state points into itself
  GzipReader& operator=(const GzipReader&) = delete;

  // Fills `out` as far as the stream goes; fewer bytes than asked for mean its end. Codes:
  // archive.not_gzip, archive.corrupt, archive.compressed_size, archive.stream_budget, io.read.
  Result<std::size_t> Read(std::span<char> out);

 private:
  struct State;
  Status FillInput();
  Status StartMember();
  Status InflateSome();

  int fd_;
  std::unique_ptr<State> state_;
};

// Deflates to a file as one member: level 6, no flags, no name, time 0, OS 3.
class GzipWriter {
 public:
  // Fails with archive.compressed_size when more than `max_bytes` would be written.
  GzipWriter(int fd, std::uint64_t max_bytes);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;  // zlib's state points into itself
  GzipWriter& operator=(const GzipWriter&) = delete;

  Status Write(std::span<const char> bytes);
  // Ends the member. Call once.
  Status Finish();
  std::uint64_t bytes_written() const { return written_; }

 private:
  struct State;
  Status Deflate(std::span<const char> bytes, int flush);

  int fd_;
  std::uint64_t max_bytes_;
  std::uint64_t written_ = 0;
  std::unique_ptr<State> state_;
};

}  // namespace cacheon::bundle
