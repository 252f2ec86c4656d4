// SPDX-FileCopyrightText: The cacheon authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parser child: an interpreter that runs src/policy/python/parse_facts.py with as few rights as
// a process can have and still start. It has no privileges, no environment, no descriptor but its
// own socket, cannot create files, processes or sockets, and ends with the thread that started it.
//
// Limit of this: the child may still read what its user may read, and could answer lies after a bug
// in CPython's parser. Its only output are facts about the file it was given.

#include <sys/types.h>

#include <string>
#include <string_view>

#include "cacheon/core/result.h"
#include "cacheon/core/unique_fd.h"

namespace cacheon::policy {

enum class ChildOutcome {
  kAnswered,
  kDied,      // closed its socket, was killed, or wrote an impossible length
  kOverTime,  // used more CPU or wall time than one file may
};

struct ChildReply {
  ChildOutcome outcome = ChildOutcome::kDied;
  std::string text = {};
};

class PythonChild {
 public:
  // Starts without waiting for the interpreter. Code: scan.parser_unavailable.
  static Result<PythonChild> Start(const std::string& interpreter);
  ~PythonChild();
  PythonChild(PythonChild&& other) noexcept;
  PythonChild& operator=(PythonChild&& other) noexcept;

  // Sends one frame and reads one. After anything but kAnswered the child is of no more use.
  ChildReply Ask(std::string_view source);
  // Reads one frame without asking: the greeting.
  ChildReply Read();

 private:
  PythonChild(pid_t pid, UniqueFd socket) : pid_(pid), socket_(std::move(socket)) {}
  void End();

  pid_t pid_ = -1;
  UniqueFd socket_;
};

}  // namespace cacheon::policy
