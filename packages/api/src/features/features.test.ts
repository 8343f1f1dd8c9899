import { expect, test } from "vitest";
import { builtInKinds } from "../kinds/built-in-kinds.ts";
import type { TypeDescription } from "../schema/describe-schema.ts";
import { disabledFields, dropDisabledFields } from "./disabled-fields.ts";
import { featureTable } from "./feature-table.ts";
import { chooseFeatures, isFeatureOn } from "./features.ts";
import { type KubernetesMinor, parseKubernetesVersion } from "./kubernetes-version.ts";

const isOn = (name: string, minor?: KubernetesMinor, gates = {}) => isFeatureOn(chooseFeatures({ minor, gates }), name);

test("a version has upstream's defaults, and without a version every feature is on", () => {
  expect([33, 34, 35, 36].map((minor) => isOn("ContainerRestartRules", minor as 33))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect([33, 34, 35, 36].map((minor) => isOn("PodLevelResources", minor as 33))).toEqual([false, true, true, true]);
  expect(chooseFeatures({ minor: undefined, gates: {} }).every((feature) => feature.isOn)).toBe(true);
});

test("a gate overrides its stage's setting, which overrides the version's default", () => {
  expect(isOn("ContainerStopSignals", 34)).toBe(false);
  expect(isOn("ContainerStopSignals", 34, { AllAlpha: true })).toBe(true);
  expect(isOn("ContainerStopSignals", 34, { AllAlpha: true, ContainerStopSignals: false })).toBe(false);
  expect(isOn("PodLevelResources", 34, { AllBeta: false })).toBe(false);
  expect(isOn("PodLevelResources", undefined, { PodLevelResources: false })).toBe(false);
});

test.each<[string, 33 | 36, Record<string, boolean>, RegExp]>([
  ["unknown", 33, { Nonsense: true }, /unrecognized feature gate: Nonsense; the gates are AllAlpha, AllBeta, /],
  [
    "younger than the version",
    33,
    { EnvFiles: true },
    /cannot set feature gate EnvFiles to true, 1\.33 does not have it/,
  ],
  ["locked", 36, { VolumeAttributesClass: false }, /VolumeAttributesClass to false, feature is locked to true/],
])("a gate that is %s is rejected", (_what, minor, gates, message) => {
  expect(() => chooseFeatures({ minor, gates })).toThrow(message);
});

test("the metric lists a feature only from its first version on, with its stage", () => {
  const stages = (minor: 33 | 34 | 35) =>
    chooseFeatures({ minor, gates: {} }).find(({ name }) => name === "EnvFiles")?.stage;
  expect([stages(33), stages(34), stages(35)]).toEqual([undefined, "ALPHA", "BETA"]);
});

test("writes drop the fields of disabled features in every kind that has a pod spec", () => {
  const disabled = disabledFields(chooseFeatures({ minor: 33, gates: {} }));
  const spec = () => ({
    hostnameOverride: "web",
    containers: [{ name: "c", restartPolicy: "Never", restartPolicyRules: [{}], lifecycle: { stopSignal: "SIGINT" } }],
    initContainers: [{ name: "i", restartPolicy: "Always" }],
    volumes: [
      { name: "v", image: { reference: "r" } },
      { name: "e", emptyDir: {} },
    ],
  });
  const left = {
    containers: [{ name: "c", lifecycle: {} }],
    initContainers: [{ name: "i", restartPolicy: "Always" }],
    volumes: [{ name: "v" }, { name: "e", emptyDir: {} }],
  };
  const pod = { spec: spec() };
  dropDisabledFields(disabled.get("Pod") ?? [], pod);
  expect(pod.spec).toEqual(left);
  const cronJob = { spec: { jobTemplate: { spec: { template: { spec: spec() } } } } };
  dropDisabledFields(disabled.get("CronJob") ?? [], cronJob);
  expect(cronJob.spec.jobTemplate.spec.template.spec).toEqual(left);
  expect(disabled.has("Secret")).toBe(false);
});

/** Reports whether a kind's schema has a field at a path. */
function hasField(type: TypeDescription | undefined, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return true;
  const field = type?.type === "object" ? type.fields.get(step.replace("[]", ""))?.type : undefined;
  if (!step.endsWith("[]")) return field !== undefined && hasField(field, rest);
  return field?.type === "list" && hasField(field.items, rest);
}

test("every path of the table is a field of its kind, so that no feature is off in name only", () => {
  const everyName = Object.keys(featureTable).filter((name) => featureTable[name]?.fields !== undefined);
  const disabled = disabledFields(everyName.map((name) => ({ name, stage: "" as const, isOn: false })));
  const missing = [...disabled].flatMap(([name, paths]) => {
    const kinds = builtInKinds.filter(({ type, view }) => type.kind === name && view === undefined);
    return paths.filter((path) => !kinds.some(({ description }) => hasField(description, path.split("."))));
  });
  expect(missing).toEqual([]);
  expect(disabled.size).toBeGreaterThan(12);
});

test("an object that uses a field already keeps it", () => {
  const disabled = disabledFields(chooseFeatures({ minor: 33, gates: {} }));
  const object = { spec: { hostnameOverride: "new", resources: {} } };
  dropDisabledFields(disabled.get("Pod") ?? [], object, { spec: { hostnameOverride: "old" } });
  expect(object.spec).toEqual({ hostnameOverride: "new" });
});

test("a version is parsed with and without its patch number, and other versions are rejected", () => {
  expect(["1.34", "v1.34", "1.34.2"].map(parseKubernetesVersion)).toEqual([34, 34, 34]);
  for (const text of ["1.32", "2.33", "1.34-rc", ""])
    expect(() => parseKubernetesVersion(text)).toThrow(/must be one of the versions 1\.33, 1\.34, 1\.35, 1\.36, 1\.37/);
});
