import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "@kintsugi/clock";
import { expect, onTestFinished, test } from "vitest";
import { forgetSandboxNetworks, removeEmptiedFiles } from "./cni-results.ts";

test("results of removed sandboxes are removed; intact results, locks and files in progress are kept", async () => {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-emptied-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const minuteAgoSeconds = systemClock.nowMs() / 1000 - 60;
  const write = (name: string, text: string, atSeconds?: number) => {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (atSeconds !== undefined) utimesSync(file, atSeconds, atSeconds);
  };
  for (const place of ["results", "ipam/kintsugi"]) {
    write(`${place}/emptied`, "", minuteAgoSeconds);
    write(`${place}/whole`, "{}", minuteAgoSeconds);
    write(`${place}/lock`, "", minuteAgoSeconds);
    write(`${place}/new`, "");
  }
  await removeEmptiedFiles(join(directory, "ipam"), join(directory, "results"));
  for (const place of ["results", "ipam/kintsugi"])
    expect(readdirSync(join(directory, place)).toSorted()).toEqual(["lock", "new", "whole"]);
  // The directories of a host on which pods have never run.
  await removeEmptiedFiles(join(directory, "nowhere"), join(directory, "nowhere"));
});

test("records of a removed containerd's sandboxes are removed with it, and others' records are kept", async () => {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-forgotten-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const [own, other] = ["a".repeat(64), "b".repeat(64)];
  for (const id of [own, other])
    for (const name of [`kintsugi-${id}-eth0`, `cni-loopback-${id}-lo`]) {
      mkdirSync(join(directory, "results"), { recursive: true });
      writeFileSync(join(directory, "results", name), "{}");
    }
  mkdirSync(join(directory, "containerd/io.containerd.grpc.v1.cri/sandboxes", own), { recursive: true });
  await forgetSandboxNetworks([join(directory, "containerd"), join(directory, "nowhere")], join(directory, "results"));
  expect(readdirSync(join(directory, "results")).toSorted()).toEqual([
    `cni-loopback-${other}-lo`,
    `kintsugi-${other}-eth0`,
  ]);
});
