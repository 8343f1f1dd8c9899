import { lstat, mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeFiles } from "./node-files.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "node-files-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);

test.each([0o600, 0o644, 0o666, 0o777])("a file has the requested mode %i, regardless of the umask", async (mode) => {
  const path = join(directory, "file");
  await nodeFiles.write(path, "new", mode);
  expect(await modeOf(path)).toBe(mode.toString(8));
});

test("a write over a file replaces its text and its mode", async () => {
  const path = join(directory, "file");
  await nodeFiles.write(path, "a long text", 0o600);
  await nodeFiles.write(path, "short", 0o644);
  expect([await readFile(path, "utf8"), await modeOf(path)]).toEqual(["short", "644"]);
  await nodeFiles.write(path, "");
  expect(await readFile(path, "utf8")).toBe("");
});

test("a file's missing directories are created", async () => {
  await nodeFiles.write(join(directory, "a/b/file"), Buffer.from("deep"), 0o600);
  expect(await readFile(join(directory, "a/b/file"), "utf8")).toBe("deep");
  expect(await modeOf(join(directory, "a/b/file"))).toBe("600");
});

test("a write does not follow a link", async () => {
  await symlink("elsewhere", join(directory, "link"));
  await expect(nodeFiles.write(join(directory, "link"), "text")).rejects.toThrow("ELOOP");
  await expect(stat(join(directory, "elsewhere"))).rejects.toThrow("ENOENT");
});

test.each([0o700, 0o750, 0o755, 0o777])("a directory has the mode %i, new or not", async (mode) => {
  const path = join(directory, "parent/child");
  await nodeFiles.makeDirectory(path, mode);
  expect(await modeOf(path)).toBe(mode.toString(8));
  await nodeFiles.makeDirectory(path, 0o711);
  await nodeFiles.makeDirectory(path, mode);
  expect(await modeOf(path)).toBe(mode.toString(8));
});

test("a link is created, and replaces an existing entry", async () => {
  const path = join(directory, "link");
  await nodeFiles.link("first", path);
  await nodeFiles.link("second", path);
  expect([await readlink(path), (await lstat(path)).isSymbolicLink()]).toEqual(["second", true]);
  await nodeFiles.write(join(directory, "file"), "a file");
  await nodeFiles.link("third", join(directory, "file"));
  expect(await readlink(join(directory, "file"))).toBe("third");
});

test("sizes include only regular files, and an unreadable entry does not hide other entries", async () => {
  const path = join(directory, "log");
  const link = join(directory, "link");
  await writeFile(path, "12345");
  await symlink(path, link);
  const unreadable = join(directory, "n".repeat(300));
  const sizes = await nodeFiles.sizes([
    path,
    link,
    directory,
    join(directory, "gone"),
    join(path, "below"),
    unreadable,
    path,
  ]);
  expect(sizes).toEqual([
    5,
    undefined,
    undefined,
    undefined,
    undefined,
    expect.objectContaining({ code: "ENAMETOOLONG" }),
    5,
  ]);
});

test("files inside a volume can be read, and files outside cannot, even by links in the volume", async () => {
  const volume = join(directory, "volume");
  const text = async (path: string, bytesMax = 100) => {
    const bytes = await nodeFiles.readInside(volume, path, bytesMax);
    return bytes && Buffer.from(bytes).toString();
  };
  await nodeFiles.write(join(directory, "secret"), "secret");
  await nodeFiles.write(join(volume, "a/file"), "content");
  await symlink("a", join(volume, "inner"));
  await symlink("..", join(volume, "outer"));
  await symlink(join(directory, "secret"), join(volume, "link"));
  expect(await Promise.all([text("a/file"), text("inner/file"), text("a/file", 3)])).toEqual([
    "content",
    "content",
    "con",
  ]);
  expect(await Promise.all([text("a"), text("missing"), text("missing/file")])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  await expect(text("link")).rejects.toThrow(/is not inside/);
  await expect(text("outer/secret")).rejects.toThrow(/is not inside/);
  await expect(text("../secret")).rejects.toThrow(/must not contain/);
});

test("a pipe in a volume does not block its reader", async () => {
  execFileSync("mkfifo", [join(directory, "pipe")]);
  expect(await nodeFiles.readInside(directory, "pipe", 100)).toBeUndefined();
});
