import { expect, test } from "vitest";
import { imageMountsOf } from "./image-mounts.ts";

test.each([
  ["containerd", "1.6.20~ds1", { whole: false, subPaths: false }],
  ["containerd", "2.0.5", { whole: false, subPaths: false }],
  ["containerd", "v2.1.9", { whole: true, subPaths: false }],
  ["containerd", "2.2.0", { whole: true, subPaths: true }],
  ["containerd", "10.0.0", { whole: true, subPaths: true }],
  ["cri-o", "1.30.4", { whole: false, subPaths: false }],
  ["cri-o", "1.31.0", { whole: true, subPaths: false }],
  ["cri-o", "1.33.0", { whole: true, subPaths: true }],
  ["kintsugi-fake", "1.0.0", { whole: true, subPaths: true }],
  ["containerd", "unknown", { whole: false, subPaths: false }],
  ["another", "9.9.9", { whole: false, subPaths: false }],
])("%s %s mounts images as its release supports", (runtimeName, runtimeVersion, expected) => {
  expect(imageMountsOf({ runtimeName, runtimeVersion })).toEqual(expected);
});
