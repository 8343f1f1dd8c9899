import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { imageArchive } from "./image-archive.ts";
import { tar } from "./tar.ts";

const files = [
  { type: "directory", path: "bin", mode: 0o755 },
  { type: "file", path: "bin/hello", mode: 0o755, content: Buffer.from("hello\n") },
  { type: "link", path: "bin/hi", target: "hello" },
] as const;

test("the host's tar reads the written archive", () => {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-tar-"));
  try {
    writeFileSync(join(directory, "a.tar"), tar(files));
    const listed = execFileSync("tar", ["-tvf", join(directory, "a.tar")], { encoding: "utf8" });
    expect(listed).toMatch(/drwxr-xr-x .* bin\/\n-rwxr-xr-x .* 6 .* bin\/hello\nlrwxrwxrwx .* bin\/hi -> hello\n/);
    expect(execFileSync("tar", ["-xOf", join(directory, "a.tar"), "bin/hello"], { encoding: "utf8" })).toBe("hello\n");
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("the same files result in the same archive, and every name refers to the only manifest", () => {
  const image = { names: ["docker.io/library/hello:latest", "docker.io/library/hello:1"], files, command: ["hello"] };
  const archive = imageArchive([image], "amd64");
  expect(imageArchive([image], "amd64").equals(archive)).toBe(true);
  const text = archive.toString("latin1");
  const index = JSON.parse(/\{"schemaVersion":2,"manifests":.*\]\}/.exec(text)?.[0] ?? "") as {
    manifests: { digest: string; annotations: Record<string, string> }[];
  };
  expect(index.manifests.map((m) => m.annotations["io.containerd.image.name"])).toEqual(image.names);
  expect(new Set(index.manifests.map((m) => m.digest)).size).toBe(1);
});

test("a path that does not fit into a tar header is rejected", () => {
  expect(() => tar([{ type: "directory", path: "x".repeat(101), mode: 0o755 }])).toThrow(RangeError);
});
