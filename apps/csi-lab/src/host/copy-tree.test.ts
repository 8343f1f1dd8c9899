import { execFileSync } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { treeUsage } from "@kintsugi/daemon";
import { makeDeepTree, swapLinks } from "@kintsugi/daemon/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyTree } from "./copy-tree.ts";

let directory: string;
let from: string;
let to: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "copy-tree-"));
  [from, to] = [join(directory, "from"), join(directory, "to")];
  await mkdir(from, { mode: 0o755 });
});
afterEach(() => execFileSync("rm", ["-rf", directory]));

test("directories, files and links are copied with modes and times", async () => {
  await mkdir(join(from, "a/b"), { recursive: true });
  await writeFile(join(from, "a/b/file"), "text");
  await chmod(join(from, "a/b/file"), 0o4711);
  await chmod(join(from, "a"), 0o3770);
  await symlink("../nowhere", join(from, "a/link"));
  await utimes(join(from, "a"), 1_000_000, 2_000_000);
  await copyTree(from, to);
  expect(await readFile(join(to, "a/b/file"), "utf8")).toBe("text");
  expect((await lstat(join(to, "a/b/file"))).mode & 0o7777).toBe(0o4711);
  const { mode, mtimeMs } = await lstat(join(to, "a"));
  expect([mode & 0o7777, mtimeMs]).toEqual([0o3770, 2_000_000_000]);
  expect(await readlink(join(to, "a/link"))).toBe("../nowhere");
  expect((await lstat(to)).mode & 0o7777).toBe(0o755);
});

test("pipes are skipped, and the copy does not wait for them", async () => {
  execFileSync("mkfifo", [join(from, "pipe")]);
  await writeFile(join(from, "file"), "text");
  await copyTree(from, to);
  expect(await readdir(to)).toEqual(["file"]);
});

test("a tree with paths longer than a system call accepts is copied", async () => {
  await makeDeepTree(from, { depth: 60, name: "d".repeat(200) });
  await copyTree(from, to);
  expect((await treeUsage(to)).inodes).toBe((await treeUsage(from)).inodes);
});

test("no file outside the tree is copied while links are swapped in", async () => {
  const outside = join(directory, "outside");
  await mkdir(outside);
  await writeFile(join(outside, "secret"), "the node's");
  await using _ = await swapLinks([
    { path: join(from, "sub"), target: outside, kind: "directory" },
    { path: join(from, "file"), target: join(outside, "secret"), kind: "file" },
  ]);
  for (let round = 0; round < 100; round++) {
    const copied = join(directory, `to-${round}`);
    await copyTree(from, copied).catch(() => {});
    const found = execFileSync("find", [copied, "-type", "f", "-exec", "cat", "{}", ";"], { encoding: "utf8" });
    expect(found).not.toContain("the node's");
  }
}, 60_000);
