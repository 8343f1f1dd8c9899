import { expect, test } from "vitest";
import { chooseOciRuntime } from "./oci-runtimes.ts";

const containerd16 = "containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u3\n";
const containerd17 = "containerd github.com/containerd/containerd v1.7.24 88bf19b2105c8b17560993bee28a01ddc2f97182\n";
const containerd2 = "containerd github.com/containerd/containerd/v2 2.1.9\n";
const crun = (version: string) => `crun version ${version}\ncommit: f8a096be\nrundir: /run/crun\nspec: 1.0.0\n`;

test("the requested runtime is used, whatever the host has", () => {
  expect(chooseOciRuntime("runc", { crun: crun("1.21"), containerd: containerd17 })).toBe("runc");
  expect(chooseOciRuntime("crun", { crun: undefined, containerd: undefined })).toBe("crun");
});

test.each([
  ["no crun", undefined, containerd16, "runc"],
  ["Debian 12", crun("1.8.1"), containerd16, "crun"],
  ["Debian 12 with Docker's containerd", crun("1.8.1"), containerd17, "runc"],
  ["Ubuntu 24.04", crun("1.14.1"), containerd17, "runc"],
  ["the first crun for every 1.x of the specification", crun("1.14.3"), containerd17, "crun"],
  ["Debian 13", crun("1.21"), containerd17, "crun"],
  ["containerd 2", crun("1.28"), containerd2, "crun"],
  ["containerd 2 with an old crun", crun("1.8.1"), containerd2, "runc"],
  ["a crun without a version", "", containerd16, "runc"],
  ["an old crun next to a containerd without a version", crun("1.8.1"), undefined, "runc"],
])("without a request, %s: crun %j, %j → %s", (_where, crunSaid, containerd, chosen) => {
  expect(chooseOciRuntime(undefined, { crun: crunSaid, containerd })).toBe(chosen);
});
