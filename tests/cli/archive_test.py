# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
"""cacheon pack and unpack."""

import gzip
import io
import os
import tarfile
import unittest

from verb_case import EXAMPLES, VerbTest, codes


class Pack(VerbTest):
    def test_prints_the_hash_that_unpacking_gives_back(self):
        root = self.write({"lib/deep.py": "x = 1\n"})
        packed = self.run_verb("pack", root, "-o", "mine.tar.gz")
        self.assertEqual((packed.status, packed.err), (0, ""))
        self.assertEqual(packed.out, self.run_verb("hash", root).out)
        unpacked = self.run_verb("unpack", "mine.tar.gz", "back")
        self.assertEqual((unpacked.status, unpacked.out), (0, packed.out))
        self.assertEqual((self.folder / "back/lib/deep.py").read_text(), "x = 1\n")

    def test_writes_documents(self):
        packed = self.run_verb("pack", self.write(), "-o", "mine.tar.gz", "--json").document
        self.assertEqual((packed["archive"], packed["file_count"]), ("mine.tar.gz", 2))
        unpacked = self.run_verb("unpack", "mine.tar.gz", "back", "--json").document
        self.assertEqual(unpacked["content_hash"], packed["content_hash"])

    def test_names_the_archive_after_the_folder(self):
        self.assertEqual(self.run_verb("pack", self.write()).status, 0)
        self.assertTrue((self.folder / "mine.tar.gz").is_file())

    def test_makes_the_same_bytes_each_time(self):
        root = self.write()
        self.run_verb("pack", root, "-o", "a.tar.gz")
        os.utime(root / "kernel.py", (1, 1))
        self.run_verb("pack", root, "-o", "b.tar.gz")
        self.assertEqual((self.folder / "a.tar.gz").read_bytes(),
                         (self.folder / "b.tar.gz").read_bytes())

    def test_refuses_what_would_be_refused_later_all_at_once(self):
        root = self.write({"-option.py": "", "wide.json": b" " * (8 << 20) + b"  "})
        done = self.run_verb("pack", root, "-o", "mine.tar.gz")
        self.assert_error(done, "publish.path")
        self.assert_error(done, "archive.inspectable_file_too_large")
        self.assertFalse((self.folder / "mine.tar.gz").exists())
        document = self.run_verb("pack", root, "-o", "mine.tar.gz", "--json").document
        self.assertEqual(sorted(codes(document["errors"])),
                         ["archive.inspectable_file_too_large", "publish.path"])

    def test_refuses_links_and_pipes_without_opening_them(self):
        root = self.write()
        os.symlink("/etc/passwd", root / "link.py")
        os.mkfifo(root / "pipe")
        done = self.run_verb("pack", root, "-o", "mine.tar.gz")
        self.assert_error(done, "tree.symlink")
        self.assert_error(done, "tree.nonregular")

    def test_refuses_to_write_into_the_bundle(self):
        root = self.write()
        before = self.tree()
        done = self.run_verb("pack", root, "-o", root / "mine.tar.gz")
        self.assert_error(done, "usage.output_inside", 2)
        self.assertEqual(self.tree(), before)

    def test_leaves_nothing_where_it_cannot_write(self):
        done = self.run_verb("pack", self.write(), "-o", "missing/mine.tar.gz")
        self.assert_error(done, "io.write", 3)

    def test_needs_one_folder(self):
        self.assert_usage("pack")
        self.assert_usage("pack", EXAMPLES / "rmsnorm_torch", "-o")
        self.assert_error(self.run_verb("pack", "missing"), "usage.no_bundle", 2)


def member(name, content=b"", kind=tarfile.REGTYPE, link=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, len(content)
    return info, content


class Unpack(VerbTest):
    def archive(self, *members):
        path = self.folder / "hostile.tar.gz"
        with tarfile.open(path, "w:gz") as tar:
            for info, content in members:
                tar.addfile(info, io.BytesIO(content))
        return path

    def assert_leaves_nothing(self, code, *members):
        archive = self.archive(member("b/kernel.py", b"pass\n"), *members)
        done = self.run_verb("unpack", archive, "out")
        self.assert_error(done, code)
        self.assertEqual(self.tree(), ["hostile.tar.gz"], "something was left behind")

    def test_refuses_members_that_leave_the_folder(self):
        self.assert_leaves_nothing("archive.member_path", member("b/../../escaped.py", b"x"))
        self.assert_leaves_nothing("archive.member_path", member("/tmp/escaped.py", b"x"))

    def test_refuses_links_devices_and_pipes(self):
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE,
                     tarfile.FIFOTYPE):
            with self.subTest(kind=kind):
                self.assert_leaves_nothing("archive.member_type",
                                         member("b/odd", kind=kind, link="/etc/passwd"))

    def test_refuses_a_file_behind_a_link(self):
        self.assert_leaves_nothing("archive.member_type",
                                 member("b/d", kind=tarfile.SYMTYPE, link="/tmp"),
                                 member("b/d/escaped.py", b"x"))

    def test_refuses_a_bomb_before_it_fills_the_disk(self):
        self.assert_leaves_nothing("archive.file_too_large",
                                 member("b/zeros.bin", bytes(17 << 20)))

    def test_refuses_what_is_no_archive(self):
        (self.folder / "text").write_text("hello")
        self.assert_error(self.run_verb("unpack", "text", "out"), "archive.not_gzip")
        (self.folder / "text").write_bytes(gzip.compress(b"x" * 10000)[:-9])
        done = self.run_verb("unpack", "text", "out")
        self.assertEqual(done.status, 1, done.err)
        self.assertEqual(self.tree(), ["text"])

    def test_refuses_other_content_than_was_promised(self):
        archive = self.archive(member("b/kernel.py", b"pass\n"))
        self.assert_error(self.run_verb("unpack", archive, "out", "--expect", "0" * 64),
                            "archive.hash_mismatch")
        self.assertEqual(self.tree(), ["hostile.tar.gz"])

    def test_keeps_what_is_in_the_way(self):
        archive = self.archive(member("b/kernel.py", b"pass\n"))
        root = self.write(name="out")
        before = self.tree()
        self.assert_error(self.run_verb("unpack", archive, root), "archive.destination", 2)
        self.assertEqual(self.tree(), before)

    def test_needs_an_archive_and_a_folder(self):
        self.assert_usage("unpack")
        self.assert_usage("unpack", "a")
        self.assert_error(self.run_verb("unpack", "missing", "out"), "io.open", 2)
        document = self.run_verb("unpack", "missing", "out", "--json").document
        self.assertEqual(codes(document["errors"]), ["io.open"])


if __name__ == "__main__":
    unittest.main()
