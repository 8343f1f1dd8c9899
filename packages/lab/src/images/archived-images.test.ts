import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { archivedImages, packLayout } from "./archived-images.ts";
import { imageArchive } from "./image-archive.ts";
import { fullImageName, isPulledAlways } from "./image-reference.ts";
import { tar } from "./tar.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "archived-images-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

function write(name: string, content: Buffer | string): string {
  const file = join(directory, name);
  writeFileSync(file, content);
  return file;
}

const dockerArchive = (repoTags: readonly string[] | null) =>
  tar([
    {
      type: "file",
      path: "manifest.json",
      mode: 0o644,
      content: Buffer.from(JSON.stringify([{ Config: "c.json", RepoTags: repoTags, Layers: [] }])),
    },
  ]);

test("an archive of docker save has its images' full names", async () => {
  const file = write("docker.tar", dockerArchive(["busybox:1", "example.com:5000/a/b:2", "team/app:3"]));
  expect(await archivedImages(file)).toEqual([
    "docker.io/library/busybox:1",
    "example.com:5000/a/b:2",
    "docker.io/team/app:3",
  ]);
});

test("an OCI layout has its names in an archive, in a compressed archive, and in a directory", async () => {
  const names = ["docker.io/library/tool:1", "docker.io/library/tool:latest"];
  const file = write("oci.tar", imageArchive([{ names, files: [] }], "amd64"));
  expect(await archivedImages(file)).toEqual(names);

  execFileSync("gzip", ["--keep", file]);
  expect(await archivedImages(`${file}.gz`)).toEqual(names);

  const layout = join(directory, "layout");
  execFileSync("mkdir", [layout]);
  execFileSync("tar", ["--extract", "--file", file, "--directory", layout]);
  expect(await archivedImages(layout)).toEqual(names);
  await packLayout(layout, join(directory, "packed.tar"));
  expect(await archivedImages(join(directory, "packed.tar"))).toEqual(names);
});

test("images without names, other archives and other files are rejected with a remedy", async () => {
  await expect(archivedImages(write("unnamed.tar", dockerArchive(null)))).rejects.toThrow(
    /have no names, so no pod could use them: save them by name/,
  );
  await expect(archivedImages(write("other.tar", tar([])))).rejects.toThrow(
    /neither the manifest.json .* nor the index/,
  );
  await expect(archivedImages(write("text.tar", "no archive, whatever its name is\n"))).rejects.toThrow(
    /is not a tar archive/,
  );
  const damaged = tar([{ type: "file", path: "manifest.json", mode: 0o644, content: Buffer.from("[{") }]);
  await expect(archivedImages(write("damaged.tar", damaged))).rejects.toThrow(/manifest.json is damaged/);
});

test.each([
  ["busybox", "docker.io/library/busybox:latest"],
  ["busybox:1.35", "docker.io/library/busybox:1.35"],
  ["team/app", "docker.io/team/app:latest"],
  ["localhost/app:1", "localhost/app:1"],
  ["example.com/app", "example.com/app:latest"],
  ["example.com:5000/app@sha256:00", "example.com:5000/app@sha256:00"],
])("%s is %s in full form", (name, full) => {
  expect(fullImageName(name)).toBe(full);
  expect(isPulledAlways(full)).toBe(full.endsWith(":latest"));
});
