import { expect, test } from "vitest";
import { appliesCdi } from "./cdi-support.ts";

test.each<[string, string, object | string | undefined, boolean]>([
  ["containerd", "1.6.20~ds1", { containerd: {} }, false],
  ["containerd", "v1.7.24", { enableCDI: true }, true],
  ["containerd", "v1.7.24", { enableCDI: false }, false],
  ["containerd", "v2.1.0", { enableCDI: false }, false],
  ["containerd", "v2.2.0", {}, true],
  ["containerd", "2.0.0", undefined, true],
  ["containerd", "v1.7.24", "no JSON", false],
  ["cri-o", "1.30.0", undefined, true],
  ["another", "9.0.0", undefined, false],
])("%s %s with %j applies CDI devices: %s", (runtimeName, runtimeVersion, config, applies) => {
  const text = typeof config === "object" ? JSON.stringify(config) : config;
  expect(appliesCdi({ runtimeName, runtimeVersion }, text)).toBe(applies);
});
