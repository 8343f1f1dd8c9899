import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeDeepTree, swapLinks } from "@kintsugi/daemon/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { grantGroup } from "./grant-group.ts";

let directory: string;
let volume: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "grant-group-"));
  volume = join(directory, "volume");
  await mkdir(volume);
});
afterEach(() => execFileSync("rm", ["-rf", directory]));

/** A group that this process may set: root may set any group. */
const groupId = process.getuid?.() === 0 ? 4242 : (process.getgid?.() ?? 0);

async function accessOf(path: string): Promise<string> {
  const { mode, gid } = await stat(path);
  return `${(mode & 0o7777).toString(8)} ${gid === groupId}`;
}

test("the group and its bits are applied to the whole tree, and links are not followed", async () => {
  await mkdir(join(volume, "sub"), { mode: 0o700 });
  await writeFile(join(volume, "sub/file"), "", { mode: 0o600 });
  await writeFile(join(directory, "outside"), "", { mode: 0o600 });
  await symlink(join(directory, "outside"), join(volume, "sub/link"));
  await grantGroup(volume, groupId, { readonly: false });
  expect(await accessOf(join(volume, "sub"))).toBe("2770 true");
  expect(await accessOf(join(volume, "sub/file"))).toBe("660 true");
  expect((await stat(join(directory, "outside"))).mode & 0o777).toBe(0o600);
});

test("a read-only volume does not get a write bit", async () => {
  await writeFile(join(volume, "file"), "", { mode: 0o600 });
  await grantGroup(volume, groupId, { readonly: true });
  expect(await accessOf(join(volume, "file"))).toBe("640 true");
});

test("a root that has the group and the bits leaves the tree unchanged", async () => {
  await grantGroup(volume, groupId, { readonly: false });
  await writeFile(join(volume, "file"), "");
  await chmod(join(volume, "file"), 0o600);
  await grantGroup(volume, groupId, { readonly: false, unlessRootHasIt: true });
  expect((await stat(join(volume, "file"))).mode & 0o777).toBe(0o600);
});

test("a pipe without a writer gets its group without waiting for its other end", async () => {
  execFileSync("mkfifo", ["-m", "600", join(volume, "pipe")]);
  await grantGroup(volume, groupId, { readonly: false });
  expect(await accessOf(join(volume, "pipe"))).toBe("660 true");
});

test("a tree whose paths are longer than a system call accepts gets the group", async () => {
  await makeDeepTree(volume, { depth: 100, name: "d".repeat(200) });
  await grantGroup(volume, groupId, { readonly: false });
  const last = execFileSync("find", [volume, "-type", "f", "-perm", "-060"], { encoding: "utf8" });
  expect(last.trim().split("\n")).toHaveLength(100);
});

test("no file outside the volume changes while links are swapped in", async () => {
  const outside = join(directory, "outside");
  await mkdir(outside);
  const names = ["alone", "file-0", "file-1", "file-2"];
  for (const name of names) await writeFile(join(outside, name), "the node's", { mode: 0o600 });
  const file = join(volume, "file");
  const sub = join(volume, "sub");
  await using _ = await swapLinks([
    ...Array.from({ length: 4 }, () => ({ path: file, target: join(outside, "alone"), kind: "file" as const })),
    { path: sub, target: outside, kind: "directory" },
  ]);
  for (let round = 0; round < 200; round++) {
    // An entry that has been replaced in the meantime may make the walk fail; the pod's start
    // retries.
    await grantGroup(volume, groupId, { readonly: false }).catch(() => {});
    for (const name of names) {
      const { mode, gid } = await stat(join(outside, name));
      expect([mode & 0o7777, gid === 4242]).toEqual([0o600, false]);
    }
  }
}, 60_000);
