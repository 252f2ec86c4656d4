// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0

#include "src/bundle/gzip_stream.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>

#include "cacheon/bundle/archive.h"
#include "cacheon/core/unique_fd.h"

namespace cacheon::bundle {
namespace {

constexpr std::size_t kBufferBytes = 256U << 10U;
constexpr int kGzipWindowBits = 15 + 16;  // the largest window, with a gzip header
constexpr int kLevel = 6;
constexpr int kMemoryLevel = 8;
constexpr unsigned char kMagic[] = {0x1F, 0x8B};

Bytef* Bytes(char* bytes) { return reinterpret_cast<Bytef*>(bytes); }

}  // namespace

struct GzipReader::State {
  z_stream zlib{};
  std::array<char, kBufferBytes> input;
  std::uint64_t read_bytes = 0;
  std::uint64_t inflated_bytes = 0;
  bool in_member = false;
  bool any_member = false;
  bool end_of_file = false;
};

GzipReader::GzipReader(int fd) : fd_(fd), state_(std::make_unique<State>()) {
  const int status = inflateInit2(&state_->zlib, kGzipWindowBits);
  CACHEON_CHECK(status == Z_OK, "zlib has no memory or another version");
}

GzipReader::~GzipReader() { inflateEnd(&state_->zlib); }

// Makes sure that there is input unless the file has ended.
Status GzipReader::FillInput() {
  while (state_->zlib.avail_in == 0 && !state_->end_of_file) {
    const ssize_t count = read(fd_, state_->input.data(), state_->input.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno("io.read", "cannot read the archive", errno);
    state_->end_of_file = count == 0;
    state_->read_bytes += static_cast<std::uint64_t>(count);
    if (state_->read_bytes > kMaxArchiveBytes) {
      return Fail("archive.compressed_size",
                  fmt::format("the archive is larger than {} bytes", kMaxArchiveBytes), {},
                  "a bundle is source text; remove data and binaries");
    }
    state_->zlib.next_in = Bytes(state_->input.data());
    state_->zlib.avail_in = static_cast<uInt>(count);
  }
  return {};
}

// Skips zeros between members and begins the next one, or sees the end of the file.
Status GzipReader::StartMember() {
  z_stream& zlib = state_->zlib;
  RETURN_IF_ERROR(FillInput());
  while (state_->any_member && zlib.avail_in > 0 && *zlib.next_in == 0) {
    ++zlib.next_in;
    --zlib.avail_in;
    RETURN_IF_ERROR(FillInput());
  }
  if (zlib.avail_in == 0 && state_->any_member) return {};
  // A file of one byte is no gzip file either; the second byte is zlib's to check further on.
  const bool magic = zlib.avail_in > 0 && zlib.next_in[0] == kMagic[0] &&
                     (zlib.avail_in == 1 ? state_->any_member : zlib.next_in[1] == kMagic[1]);
  if (!magic && !state_->any_member) {
    return Fail("archive.not_gzip", "the file is not gzip-compressed", {},
                "`cacheon pack BUNDLE` writes the right form");
  }
  if (!magic) return Fail("archive.corrupt", "other bytes follow the compressed data");
  inflateReset(&zlib);
  state_->in_member = state_->any_member = true;
  return {};
}

Status GzipReader::InflateSome() {
  RETURN_IF_ERROR(FillInput());
  const int status = inflate(&state_->zlib, Z_NO_FLUSH);
  if (status == Z_STREAM_END) {
    state_->in_member = false;
    return {};
  }
  const bool starved = state_->zlib.avail_in == 0 && state_->end_of_file;
  if (status == Z_OK && !starved) return {};
  if (starved && state_->zlib.avail_out == 0) return {};
  return Fail("archive.corrupt",
              starved ? "the compressed data ends in the middle" : "the compressed data is damaged",
              {}, "pack or fetch the archive again");
}

Result<std::size_t> GzipReader::Read(std::span<char> out) {
  z_stream& zlib = state_->zlib;
  zlib.next_out = Bytes(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  while (zlib.avail_out > 0) {
    if (state_->in_member) {
      RETURN_IF_ERROR(InflateSome());
      continue;
    }
    RETURN_IF_ERROR(StartMember());
    if (!state_->in_member) break;
  }
  const std::size_t count = out.size() - zlib.avail_out;
  state_->inflated_bytes += count;
  if (state_->inflated_bytes > kMaxTarStreamBytes) {
    return Fail("archive.stream_budget",
                fmt::format("the archive unpacks to more than {} bytes", kMaxTarStreamBytes), {},
                "a bundle is source text; remove data and binaries");
  }
  return count;
}

struct GzipWriter::State {
  z_stream zlib{};
  std::array<char, kBufferBytes> output;
};

GzipWriter::GzipWriter(int fd, std::uint64_t max_bytes)
    : fd_(fd), max_bytes_(max_bytes), state_(std::make_unique<State>()) {
  const int status = deflateInit2(&state_->zlib, kLevel, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                                  Z_DEFAULT_STRATEGY);
  CACHEON_CHECK(status == Z_OK, "zlib has no memory or another version");
}

GzipWriter::~GzipWriter() { deflateEnd(&state_->zlib); }

Status GzipWriter::Write(std::span<const char> bytes) { return Deflate(bytes, Z_NO_FLUSH); }

Status GzipWriter::Finish() { return Deflate({}, Z_FINISH); }

Status GzipWriter::Deflate(std::span<const char> bytes, int flush) {
  z_stream& zlib = state_->zlib;
  zlib.next_in = Bytes(const_cast<char*>(bytes.data()));  // zlib does not write to it
  zlib.avail_in = static_cast<uInt>(bytes.size());
  for (bool more = true; more;) {
    zlib.next_out = Bytes(state_->output.data());
    zlib.avail_out = static_cast<uInt>(state_->output.size());
    const int status = deflate(&zlib, flush);
    CACHEON_CHECK(status != Z_STREAM_ERROR, "the compressor was used wrongly");
    const std::size_t count = state_->output.size() - zlib.avail_out;
    written_ += count;
    if (written_ > max_bytes_) {
      return Fail("archive.compressed_size",
                  fmt::format("the archive would be larger than {} bytes", max_bytes_), {},
                  "a bundle is source text; remove data and binaries");
    }
    RETURN_IF_ERROR(WriteAll(fd_, std::string_view(state_->output.data(), count)));
    more = zlib.avail_out == 0 && status != Z_STREAM_END;
  }
  return {};
}

}  // namespace cacheon::bundle
