import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDirectory, UnusableDirectory } from "./make-directory.ts";

let place = "";
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "kintsugi-make-directory-"));
});
afterAll(() => rm(place, { recursive: true }));

const options = { flag: "--some-dir", mode: 0o700 };
const refusalOf = (path: string) =>
  makeDirectory(path, options).then(
    () => undefined,
    (error: unknown) => (error instanceof UnusableDirectory ? error.message : error),
  );

describe("a directory that a flag names", () => {
  test("is created with its parents and the requested mode and is empty, even a second time and by two processes concurrently", async () => {
    const path = join(place, "a/b/c");
    await Promise.all([makeDirectory(path, options), makeDirectory(path, options)]);
    for (let time = 0; time < 2; time++) {
      await makeDirectory(path, options);
      expect(await readdir(path)).toEqual([]);
    }
    expect((await stat(join(place, "a"))).mode & 0o777).toBe(0o700);
  });

  test("is rejected immediately below /proc, where mkdir itself would loop forever", async () => {
    expect(await refusalOf("/proc/kintsugi/c")).toBe(
      "nothing can be written in /proc (ENOENT): choose another --some-dir",
    );
  });

  test("is rejected if a part of the path is a file or a dangling link", async () => {
    const file = join(place, "file");
    await writeFile(file, "precious");
    expect(await refusalOf(join(file, "data/c"))).toBe(`${file} is not a directory: choose another --some-dir`);
    await symlink(join(place, "nowhere"), join(place, "dangling"));
    expect(await refusalOf(join(place, "dangling/c"))).toBe(
      `nothing can be written in ${place} (EEXIST): choose another --some-dir`,
    );
    expect(await refusalOf(join(place, "x".repeat(300)))).toMatch(/\(the name is too long, ENAMETOOLONG\): choose/);
  });

  test("is rejected without write permission, and root may write everywhere", async () => {
    const closed = join(place, "closed");
    await mkdir(closed);
    await chmod(closed, 0o500);
    const isRoot = process.getuid?.() === 0;
    const refusal = `nothing can be written in ${closed} (EACCES): choose another --some-dir`;
    expect(await refusalOf(join(closed, "c"))).toBe(isRoot ? undefined : refusal);
  });

  test("removes the directories that it created if no file can be created in them", async () => {
    // A directory there is a control group, and has only the kernel's files.
    const cgroups = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"].find((root) => existsSync(root)) ?? "";
    const made = join(cgroups, "kintsugi-make-directory-test");
    expect(await refusalOf(join(made, "c"))).toMatch(
      new RegExp(`^nothing can be written in ${cgroups}.* \\(.*E\\w+\\): choose another --some-dir$`),
    );
    expect(existsSync(made)).toBe(false);
  });
});
