import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UnsafePathError } from "./mounts.ts";
import { openInside, pathOf } from "./open-inside.ts";

let directory: string;
let volume: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "open-inside-"));
  volume = join(directory, "volume");
  await mkdir(join(volume, "data"), { recursive: true });
  await writeFile(join(directory, "secret"), "the node's");
  await writeFile(join(volume, "data", "file"), "the pod's");
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function contentOf(inside: string): Promise<string> {
  const opened = await openInside(volume, inside);
  try {
    return await readFile(pathOf(opened), "utf8");
  } finally {
    await opened.close();
  }
}

test("a file of the volume is opened, even by a link that stays inside", async () => {
  await symlink("data/file", join(volume, "link"));
  await symlink(join(volume, "data"), join(volume, "absolute"));
  for (const inside of ["data/file", "./data//file", "link", "absolute/file"]) {
    expect(await contentOf(inside)).toBe("the pod's");
  }
});

test.each([
  ["a link to a file outside", (at: string) => symlink("../secret", at)],
  ["an absolute link outside", (at: string) => symlink("/etc/passwd", at)],
  ["a link to a link outside", async (at: string) => symlink("hop", at).then(() => symlink("..", join(at, "../hop")))],
  ["a link to the root", (at: string) => symlink("/", at)],
])("%s is rejected", async (_, make) => {
  await make(join(volume, "escape"));
  await expect(openInside(volume, "escape")).rejects.toThrow(UnsafePathError);
});

test.each(["escape/new", "escape/new/deeper"])("no file is created outside through %s", async (inside) => {
  await symlink("..", join(volume, "escape"));
  await expect(openInside(volume, inside)).rejects.toThrow(UnsafePathError);
  await expect(stat(join(directory, "new"))).rejects.toThrow("ENOENT");
});

test.each(["../secret", "data/../../secret", "/etc/passwd"])("the path %s is rejected unchanged", async (inside) => {
  await expect(openInside(volume, inside)).rejects.toThrow(UnsafePathError);
});

test("a dangling link is not turned into a directory", async () => {
  await symlink("nowhere", join(volume, "dangling"));
  await expect(openInside(volume, "dangling")).rejects.toThrow("is a link");
  await expect(stat(join(volume, "nowhere"))).rejects.toThrow("ENOENT");
});

test("missing directories are created with the volume's own mode, regardless of the umask", async () => {
  await chmod(volume, 0o2777);
  const opened = await openInside(volume, "data/a/b");
  expect((await opened.stat()).isDirectory()).toBe(true);
  await opened.close();
  for (const made of ["data/a", "data/a/b"]) expect((await stat(join(volume, made))).mode & 0o7777).toBe(0o2777);
});

test("an open file stays the same when its path becomes a link to another place", async () => {
  const opened = await openInside(volume, "data");
  await rm(join(volume, "data"), { recursive: true });
  await symlink("/etc", join(volume, "data"));
  await expect(readFile(join(pathOf(opened), "passwd"))).rejects.toThrow("ENOENT");
  await opened.close();
});
