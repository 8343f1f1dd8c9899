import { describe, expect, test } from "vitest";
import { anObject } from "../../../validation/testing/an-object.ts";
import { validateCreate, validateUpdate } from "../../../validation/validate.ts";
import { statefulSetKind as kind } from "./stateful-set-kind.ts";

const template = { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "c", image: "x:1" }] } };
const spec = { selector: { matchLabels: { app: "db" } }, template, serviceName: "db" };

const textOf = ({ field, message }: { field: string; message: string }) => `${field}: ${message}`;
const createFaults = (more: object, metadata: object = {}) =>
  validateCreate(kind, anObject(kind, { metadata, spec: { ...spec, ...more } })).map(textOf);

test("a valid set has no fault, and upstream's defaults", () => {
  const claim = { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } };
  const set = anObject(kind, { spec: { ...spec, volumeClaimTemplates: [claim] } });
  expect(validateCreate(kind, set)).toEqual([]);
  expect(set.spec).toMatchObject({
    replicas: 1,
    podManagementPolicy: "OrderedReady",
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
    template: { spec: { restartPolicy: "Always", dnsPolicy: "ClusterFirst" } },
    volumeClaimTemplates: [
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "data" },
        spec: { volumeMode: "Filesystem" },
        status: { phase: "Pending" },
      },
    ],
  });
});

test("a named strategy gets no partition that its author did not set", () => {
  const strategyOf = (updateStrategy: object) =>
    anObject(kind, { spec: { ...spec, updateStrategy } }).spec?.updateStrategy;
  expect(strategyOf({ type: "RollingUpdate" })).toEqual({ type: "RollingUpdate" });
  expect(strategyOf({ type: "OnDelete" })).toEqual({ type: "OnDelete" });
});

describe("a new set is rejected with", () => {
  test.each<[string, object, string[]]>([
    [
      "an invalid management policy",
      { podManagementPolicy: "Random" },
      ["spec.podManagementPolicy: Invalid value: \"Random\": must be 'OrderedReady' or 'Parallel'"],
    ],
    [
      "an invalid strategy",
      { updateStrategy: { type: "Recreate" } },
      ["spec.updateStrategy: Invalid value: {\"type\":\"Recreate\"}: must be 'RollingUpdate' or 'OnDelete'"],
    ],
    [
      "a partition without rolling updates",
      { updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } },
      [
        "spec.updateStrategy.rollingUpdate: Invalid value: {\"partition\":1}: only allowed for updateStrategy 'RollingUpdate'",
      ],
    ],
    [
      "a negative partition and a negative maxUnavailable",
      { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: -1, maxUnavailable: -1 } } },
      [
        "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0",
        "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0",
      ],
    ],
    [
      "a maxUnavailable of zero",
      { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "0%" } } },
      ['spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "0%": cannot be 0'],
    ],
    [
      "a maxUnavailable of more than 100 %",
      { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "101%" } } },
      ['spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
    ],
    [
      "an invalid retention policy",
      { persistentVolumeClaimRetentionPolicy: { whenScaled: "Shred" } },
      [
        'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Shred": supported values: "Retain", "Delete"',
      ],
    ],
    [
      "negative counts",
      { replicas: -1, minReadySeconds: -2, ordinals: { start: -3 } },
      [
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
        "spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0",
        "spec.ordinals.start: Invalid value: -3: must be greater than or equal to 0",
      ],
    ],
    [
      "a selector that selects everything",
      { selector: {} },
      ["spec.selector: Invalid value: {}: empty selector is invalid for statefulset"],
    ],
    [
      "a selector that selects other pods",
      { selector: { matchLabels: { app: "web" } } },
      ['spec.template.metadata.labels: Invalid value: {"app":"db"}: `selector` does not match template `labels`'],
    ],
    [
      "pods that end",
      { template: { ...template, spec: { ...template.spec, restartPolicy: "Never", activeDeadlineSeconds: 1 } } },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported",
      ],
    ],
  ])("%s", (_name, more, expected) => {
    expect(createFaults(more)).toEqual(expected);
  });

  test("a name that is not a host name", () => {
    expect(createFaults({}, { name: "a.b" })[0]).toContain("a lowercase RFC 1123 label must consist of");
  });

  test("containers that are invalid in a pod are never rejected here: the controller reports them, as upstream's does", () => {
    expect(createFaults({ template: { ...template, spec: { containers: [] } } })).toEqual([]);
  });
});

function updateFaults(before: object, after: object, subresource = ""): string[] {
  const metadata = { resourceVersion: "1" };
  const [one, other] = [before, after].map((body) => anObject(kind, { metadata, ...body }));
  if (one === undefined || other === undefined) throw new Error("two objects are compared");
  return validateUpdate(kind, { before: one, after: other, subresource }).map(textOf);
}

test("an update may change the fields that upstream lets it change", () => {
  const after = {
    ...spec,
    replicas: 4,
    ordinals: { start: 2 },
    template: { ...template, metadata: { labels: { app: "db", tier: "1" } } },
    updateStrategy: { type: "OnDelete" },
    revisionHistoryLimit: 3,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
    minReadySeconds: 7,
  };
  expect(updateFaults({ spec }, { spec: after })).toEqual([]);
});

test.each<[string, object]>([
  ["the Service", { serviceName: "other" }],
  ["the management policy", { podManagementPolicy: "Parallel" }],
  ["the claim templates", { volumeClaimTemplates: [{ metadata: { name: "more" } }] }],
  ["the selector", { selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } }],
])("an update of %s is rejected", (_name, more) => {
  expect(updateFaults({ spec }, { spec: { ...spec, ...more } })).toEqual([
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  ]);
});

test.each<[string, object, string[]]>([
  [
    "with consistent counts",
    { replicas: 2, readyReplicas: 1, currentReplicas: 1, updatedReplicas: 2, collisionCount: 3 },
    [],
  ],
  [
    "with counts that exceed the replicas",
    { replicas: 1, readyReplicas: 2, currentReplicas: 2, updatedReplicas: 2, availableReplicas: 3, collisionCount: 3 },
    [
      "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 3: cannot be greater than status.readyReplicas",
    ],
  ],
  [
    "with fewer collisions than before",
    { replicas: 0, collisionCount: 2 },
    ["status.collisionCount: Invalid value: 2: cannot be decremented"],
  ],
  [
    "with a negative count",
    { replicas: 0, readyReplicas: -1, availableReplicas: -1, collisionCount: 3 },
    [
      "status.readyReplicas: Invalid value: -1: must be greater than or equal to 0",
      "status.availableReplicas: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
])("a status %s", (_name, status, expected) => {
  expect(updateFaults({ spec, status: { replicas: 0, collisionCount: 3 } }, { spec, status }, "status")).toEqual(
    expected,
  );
});
