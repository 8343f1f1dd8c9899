import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFiles } from "./node-files.ts";

test("sizes are of regular files only, and what cannot be looked at hides none of the others", async () => {
  const directory = await mkdtemp(join(tmpdir(), "node-files-"));
  try {
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
  } finally {
    await rm(directory, { recursive: true });
  }
});
