import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDeepTree, swapLinks } from "../testing/index.ts";
import { removeTree } from "./remove-tree.ts";
import { treeUsage } from "./tree-usage.ts";
import { walkTree, type TreeEntry } from "./walk-tree.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "walk-tree-"));
});
afterEach(() => execFileSync("rm", ["-rf", directory]));

const smallLimits = { keptLevelsMax: 2, namesOfLevelMax: 3, namesOfWalkMax: 5 };

/** Lists the names of a tree in the order of the walk: a directory's own name is last. */
async function namesIn(root: string, limits = smallLimits): Promise<string[]> {
  const names: string[] = [];
  const note = async ({ name }: TreeEntry) => void names.push(name);
  const failed = (error: unknown) => {
    throw error;
  };
  await walkTree(root, { file: note, left: note, failed }, limits);
  return names;
}

test("a tree whose paths are longer than a system call accepts is counted and removed", async () => {
  const root = join(directory, "volume");
  await mkdir(root);
  await makeDeepTree(root, { depth: 300, name: "d".repeat(200) });
  expect((await treeUsage(root)).inodes).toBe(1 + 300 + 300);
  await removeTree(root);
  expect(existsSync(root)).toBe(false);
});

test("names that are not UTF-8 are counted and removed", async () => {
  const root = join(directory, "volume");
  await mkdir(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), { recursive: true });
  await writeFile(
    Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe]), Buffer.from("/\xe9", "latin1")]),
    "",
  );
  expect((await treeUsage(root)).inodes).toBe(3);
  await removeTree(root);
  expect(existsSync(root)).toBe(false);
});

test("pipes and links are counted and removed, and are neither opened nor followed", async () => {
  const root = join(directory, "volume");
  await mkdir(join(root, "sub"), { recursive: true });
  await writeFile(join(directory, "outside"), "x".repeat(100_000));
  execFileSync("mkfifo", [join(root, "sub", "pipe")]);
  await symlink(directory, join(root, "up"));
  const usage = await treeUsage(root);
  expect(usage.inodes).toBe(4);
  expect(usage.bytes).toBeLessThan(100_000);
  await removeTree(root);
  expect(await readdir(directory)).toEqual(["outside"]);
});

test("a file, a link and a missing path are also removed", async () => {
  await writeFile(join(directory, "file"), "");
  await symlink("file", join(directory, "link"));
  for (const name of ["link", "file", "missing", "missing/below"]) await removeTree(join(directory, name));
  expect(await readdir(directory)).toEqual([]);
});

test("a file with several names counts once", async () => {
  await writeFile(join(directory, "file"), "x".repeat(8192));
  execFileSync("ln", [join(directory, "file"), join(directory, "again")]);
  const { size } = await lstat(join(directory, "file"));
  const { bytes, inodes } = await treeUsage(directory);
  expect(inodes).toBe(2);
  expect(bytes).toBeLessThan(2 * size);
});

test("every entry is visited once, whatever the limits of the walk", async () => {
  const segment = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
  const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"));
  await fc.assert(
    fc.asyncProperty(fc.array(path, { maxLength: 25 }), async (paths) => {
      const root = await mkdtemp(join(directory, "tree-"));
      for (const each of paths) {
        await mkdir(join(root, each), { recursive: true });
        await writeFile(join(root, each, "file"), "");
      }
      const expected = (await readdir(root, { recursive: true })).length;
      expect(await namesIn(root)).toHaveLength(expected);
      expect((await treeUsage(root)).inodes).toBe(expected + 1);
      await removeTree(root);
      expect(existsSync(root)).toBe(false);
    }),
    { numRuns: 30 },
  );
});

test("a directory that is moved during the walk is reported, and the rest is visited", async () => {
  await mkdir(join(directory, "tree/a/b/c/d"), { recursive: true });
  await mkdir(join(directory, "tree/z"), { recursive: true });
  const failures: unknown[] = [];
  const left: string[] = [];
  await walkTree(
    join(directory, "tree"),
    {
      file: async () => {},
      leave: async () => {
        if (existsSync(join(directory, "tree/a/b/c/d")))
          await rename(join(directory, "tree/a/b/c/d"), join(directory, "d"));
      },
      left: async ({ name }) => void left.push(name),
      failed: (error) => void failures.push(error),
    },
    smallLimits,
  );
  expect(failures).toHaveLength(1);
  expect(left).toEqual(["a", "z"]);
});

test("no file outside is removed while links are swapped in", async () => {
  const outside = join(directory, "outside");
  await mkdir(outside);
  for (let i = 0; i < 3; i++) await writeFile(join(outside, `file-${i}`), "the node's");
  const root = join(directory, "volume");
  await using _ = await swapLinks([
    { path: join(root, "sub"), target: outside, kind: "directory" },
    { path: join(root, "file"), target: join(outside, "file-0"), kind: "file" },
  ]);
  for (let round = 0; round < 300; round++) {
    await mkdir(root, { recursive: true });
    // The container continues to make files, so the directory itself may remain.
    await removeTree(root).catch(() => {});
    await treeUsage(root);
    expect(await readdir(outside)).toHaveLength(3);
  }
}, 30_000);
