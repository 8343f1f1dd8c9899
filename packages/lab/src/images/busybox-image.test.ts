import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { busyboxImage, busyboxTags, wgetWithoutTimeout } from "./busybox-image.ts";
import { isStaticProgram } from "./static-program.ts";

const debian12 = "BusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) multi-call binary.";

test.each([
  [debian12, ["latest", "1", "1.35", "1.35.0"]],
  ["BusyBox v1.37.0 (Debian 1:1.37.0-6+b3) multi-call binary.", ["latest", "1", "1.37", "1.37.0"]],
  ["BusyBox (a build of my own)", ["latest"]],
])("%s gets its true name", (banner, tags) => {
  expect(busyboxTags(banner)).toEqual(tags);
});

const lacksBusybox = !isStaticProgram("/bin/busybox") || !existsSync("/bin/sh");
const skipped = lacksBusybox
  ? " (skipped: this host lacks a package: install with `apt-get install busybox-static`)"
  : "";

test.skipIf(lacksBusybox)(`the image of this host's busybox has its names and each path once${skipped}`, async () => {
  const { names, files } = await busyboxImage();
  const version = /v(\d+\.\d+\.\d+)/.exec(spawnSync("/bin/busybox", ["--help"], { encoding: "utf8" }).stdout)?.[1];
  expect(names).toContain(`docker.io/library/busybox:${version}`);
  expect(names).not.toContain("docker.io/library/busybox:stable");
  const paths = files.map(({ path }) => path);
  expect(paths).toContain("bin/wget");
  expect(new Set(paths).size).toBe(paths.length);
});

describe.skipIf(lacksBusybox)(`a wget that was built without -T${skipped}`, () => {
  const run = (...args: string[]) => {
    const directory = mkdtempSync(join(tmpdir(), "kintsugi-wget-"));
    try {
      const [script] = wgetWithoutTimeout(debian12);
      writeFileSync(join(directory, "wget"), script?.content ?? "", { mode: 0o755 });
      const { status, signal, stderr } = spawnSync(join(directory, "wget"), args, { encoding: "utf8" });
      return { status, signal, stderr };
    } finally {
      rmSync(directory, { recursive: true });
    }
  };

  test.each([[["-T", "1"]], [["-T1"]], [["-qT", "1"]], [["-q", "-cST1"]]])("rejects %j with a sentence", (args) => {
    expect(run(...args, "http://127.0.0.1:1/")).toEqual({
      status: 1,
      signal: null,
      stderr: "wget: BusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) was built without -T: use timeout SECONDS wget\n",
    });
  });

  test.each([[["-q", "-O", "-"]], [["-qO-", "-U", "a-T"]], [["-OT"]]])("passes %j on", (args) => {
    const { status, stderr } = run(...args, "http://127.0.0.1:1/");
    expect(status).toBe(1);
    expect(stderr).toContain("can't connect to remote host (127.0.0.1): Connection refused");
  });
});
