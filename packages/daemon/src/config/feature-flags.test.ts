import { expect, test } from "vitest";
import { createMetrics } from "../metrics/metrics.ts";
import { featureConfig, featureFlags, recordFeatures } from "./feature-flags.ts";
import { readFlags } from "./read-flags.ts";

const program = { name: "program", description: "Does it." };
const read = (...argv: string[]) => featureConfig(readFlags(program, featureFlags, argv));

test("without flags 1.36 is reported, with its default features", () => {
  const { gitVersion, minor, features } = read();
  expect([gitVersion, minor]).toEqual(["v1.36.0+kintsugi", 36]);
  const isOn = (name: string) => features.find((feature) => feature.name === name)?.isOn;
  expect(["EnvFiles", "PodLevelResources", "MutatingAdmissionPolicy"].map(isOn)).toEqual([true, true, true]);
  expect(["MaxUnavailableStatefulSet", "ContainerStopSignals", "PodCertificateRequest"].map(isOn)).toEqual([
    false,
    false,
    false,
  ]);
});

test("a version and gates determine the features, and the metric shows them", async () => {
  const { gitVersion, features } = read(
    "--emulated-version=1.34",
    "--feature-gates=EnvFiles=true,PodLevelResources=false",
  );
  expect(gitVersion).toBe("v1.34.0+kintsugi");
  const metrics = createMetrics();
  recordFeatures(metrics, features);
  const text = await metrics.exposition();
  expect(text).toContain('kubernetes_feature_enabled{name="EnvFiles",stage="ALPHA"} 1');
  expect(text).toContain('kubernetes_feature_enabled{name="PodLevelResources",stage="BETA"} 0');
  expect(text).toContain('kubernetes_feature_enabled{name="DynamicResourceAllocation",stage=""} 1');
});

test.each([
  ["--emulated-version=1.40", /--emulated-version: "1.40" must be one of the versions 1.33/],
  ["--feature-gates=EnvFiles", /missing bool value for EnvFiles/],
  ["--feature-gates=EnvFiles=yes", /invalid value of EnvFiles=yes/],
  ["--feature-gates=__proto__=true", /unrecognized feature gate: __proto__/],
])("%s is rejected", (argument, message) => {
  expect(() => read(argument)).toThrow(message);
});
