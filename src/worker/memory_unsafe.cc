// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
//
// Unsafe because it maps files and hands out raw memory.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <utility>

#include "cacheon/core/unique_fd.h"
#include "cacheon/tensor/dtype.h"
#include "cacheon/tensor/layout.h"
#include "cacheon/worker/memory.h"

namespace cacheon::worker {
namespace {

constexpr std::size_t kPage = 4096;
// More than any machine has; keeps every sum below far from overflow.
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 46;

std::uint64_t NextId() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

constexpr std::size_t RoundUp(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Where the storage lies in the file.
struct Placement {
  std::size_t file_bytes;
  std::size_t storage_begin;
  std::size_t element_begin;
  std::size_t span_bytes;
};

Result<Placement> Place(tensor::DType dtype, const tensor::Layout& layout,
                        std::int64_t offset_elements, GuardSide side, std::size_t alignment) {
  CACHEON_CHECK(std::has_single_bit(alignment) && alignment <= kPage,
                "an alignment is no power of two or above a page");
  CACHEON_CHECK(offset_elements >= 0, "a storage offset is negative");
  ASSIGN_OR_RETURN(const std::int64_t span, tensor::SpanElements(layout));
  const auto item = static_cast<std::int64_t>(tensor::ItemSize(dtype));
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  if (__builtin_add_overflow(span, offset_elements, &elements) ||
      __builtin_mul_overflow(elements, item, &bytes) || bytes > kMaxBytes) {
    return Fail("tensor.overflow", "the storage of the tensor does not fit an address space");
  }
  const auto storage_bytes = static_cast<std::size_t>(bytes);
  const std::size_t file_bytes = std::max(RoundUp(storage_bytes, kPage), kPage);
  const std::size_t storage_begin =
      side == GuardSide::kBefore ? 0 : (file_bytes - storage_bytes) / alignment * alignment;
  return Placement{
      .file_bytes = file_bytes,
      .storage_begin = storage_begin,
      .element_begin = storage_begin + static_cast<std::size_t>(offset_elements * item),
      .span_bytes = static_cast<std::size_t>(span * item)};
}

}  // namespace

struct TensorMemory::State {
  std::string name;
  tensor::DType dtype;
  tensor::Layout layout;
  std::int64_t offset_elements = 0;
  Placement placement{};
  std::uint64_t id = NextId();
  UniqueFd fd;
  UniqueFd read_only_fd;
  std::byte* mapping = nullptr;
  bool sealed = false;

  State() = default;
  State(const State&) = delete;  // owns a mapping
  State& operator=(const State&) = delete;
  ~State() { Unmap(); }

  bool Map(int protection) {
    const int file = (protection & PROT_WRITE) != 0 ? fd.get() : read_only_fd.get();
    void* address = mmap(nullptr, placement.file_bytes, protection, MAP_SHARED, file, 0);
    if (address == MAP_FAILED) return false;
    mapping = static_cast<std::byte*>(address);
    return true;
  }

  void Unmap() {
    if (mapping != nullptr) munmap(std::exchange(mapping, nullptr), placement.file_bytes);
  }
};

TensorMemory::TensorMemory(std::unique_ptr<State> state) : state_(std::move(state)) {}
TensorMemory::TensorMemory(TensorMemory&&) noexcept = default;
TensorMemory& TensorMemory::operator=(TensorMemory&&) noexcept = default;
TensorMemory::~TensorMemory() = default;

Result<TensorMemory> TensorMemory::Create(std::string name, tensor::DType dtype,
                                          tensor::Layout layout, std::int64_t offset_elements,
                                          GuardSide side, std::size_t alignment_bytes) {
  auto state = std::make_unique<State>();
  ASSIGN_OR_RETURN(state->placement, Place(dtype, layout, offset_elements, side, alignment_bytes));
  state->name = std::move(name);
  state->dtype = dtype;
  state->layout = std::move(layout);
  state->offset_elements = offset_elements;
  const auto fail = [&](std::string_view what) {
    return FailErrno("memory.create", fmt::format("cannot {} tensor `{}`", what, state->name),
                     errno);
  };
  // One name for all: the worker can see it and must learn nothing from it.
  state->fd = UniqueFd(memfd_create("tensor", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!state->fd) return fail("create");
  if (ftruncate(state->fd.get(), static_cast<off_t>(state->placement.file_bytes)) != 0) {
    return fail("reserve");
  }
  // A worker that could shrink the file could make the controller fault on its own mapping.
  if (fcntl(state->fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    return fail("fix the size of");
  }
  // Kernels before 6.7 map a sealed file only through a descriptor that is read-only.
  const std::string self = fmt::format("/proc/self/fd/{}", state->fd.get());
  state->read_only_fd.reset(open(self.c_str(), O_RDONLY | O_CLOEXEC));
  if (!state->read_only_fd) return fail("reopen");
  if (!state->Map(PROT_READ | PROT_WRITE)) return fail("map");
  return TensorMemory(std::move(state));
}

const std::string& TensorMemory::name() const { return state_->name; }
tensor::DType TensorMemory::dtype() const { return state_->dtype; }
const tensor::Layout& TensorMemory::layout() const { return state_->layout; }
std::int64_t TensorMemory::offset_elements() const { return state_->offset_elements; }
std::uint64_t TensorMemory::id() const { return state_->id; }
bool TensorMemory::sealed() const { return state_->sealed; }
int TensorMemory::writable_fd() const { return state_->fd.get(); }
int TensorMemory::read_only_fd() const { return state_->read_only_fd.get(); }

std::span<std::byte> TensorMemory::writable_bytes() {
  if (state_->sealed) return {};
  return {state_->mapping, state_->placement.file_bytes};
}

std::span<const std::byte> TensorMemory::bytes() const {
  return {state_->mapping, state_->placement.file_bytes};
}

tensor::TensorView TensorMemory::view() {
  CACHEON_CHECK(!state_->sealed, "a writable view of a sealed tensor");
  return {state_->mapping + state_->placement.element_begin, state_->dtype, state_->layout};
}

tensor::ConstTensorView TensorMemory::const_view() const {
  return {state_->mapping + state_->placement.element_begin, state_->dtype, state_->layout};
}

std::size_t TensorMemory::element_begin_byte() const { return state_->placement.element_begin; }
std::size_t TensorMemory::storage_begin_byte() const { return state_->placement.storage_begin; }
std::size_t TensorMemory::element_span_bytes() const { return state_->placement.span_bytes; }

Status TensorMemory::Write(std::size_t offset, std::span<const std::byte> block) {
  CACHEON_CHECK(!state_->sealed, "a write to a sealed tensor");
  CACHEON_CHECK(offset <= state_->placement.file_bytes &&
                    block.size() <= state_->placement.file_bytes - offset,
                "a write beyond a tensor's file");
  while (!block.empty()) {
    const ssize_t count =
        pwrite(state_->fd.get(), block.data(), block.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return FailErrno("memory.write", fmt::format("cannot fill tensor `{}`", state_->name),
                       count < 0 ? errno : ENOSPC);
    }
    offset += static_cast<std::size_t>(count);
    block = block.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Status TensorMemory::Seal() {
  if (state_->sealed) return {};
  state_->Unmap();
  if (fcntl(state_->fd.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
    const int errno_value = errno;
    CACHEON_CHECK(state_->Map(PROT_READ | PROT_WRITE), "a tensor cannot be mapped again");
    return FailErrno("memory.seal", fmt::format("cannot seal tensor `{}`", state_->name),
                     errno_value);
  }
  state_->sealed = true;
  state_->fd.reset();
  CACHEON_CHECK(state_->Map(PROT_READ), "a sealed tensor cannot be mapped again");
  return {};
}

}  // namespace cacheon::worker
