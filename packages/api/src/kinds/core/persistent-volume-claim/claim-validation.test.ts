import { describe, expect, test } from "vitest";
import { anObject } from "../../../validation/testing/an-object.ts";
import { validateCreate, validateUpdate } from "../../../validation/validate.ts";
import { podKind } from "../pod/pod-kind.ts";
import { persistentVolumeClaimKind } from "./persistent-volume-claim-kind.ts";

const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const modes = '"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"';

function faultsOf(body: object): string[] {
  const claim = anObject(persistentVolumeClaimKind, { spec: body });
  return validateCreate(persistentVolumeClaimKind, claim).map(({ field, message }) => `${field}: ${message}`);
}

describe("a new claim", () => {
  test.each<[string, object, string[]]>([
    ["of storage", spec, []],
    ["of a class, a volume and a selector", { ...spec, storageClassName: "fast", volumeName: "v", selector: {} }, []],
    ["of no class", { ...spec, storageClassName: "" }, []],
    ["of a copy", { ...spec, dataSource: { kind: "PersistentVolumeClaim", name: "old" } }, []],
    [
      "of nothing",
      {},
      [
        "spec.accessModes: Required value: at least 1 access mode is required",
        "spec.resources[storage]: Required value",
      ],
    ],
    [
      "of no bytes",
      { ...spec, resources: { requests: { storage: "0" } } },
      ['spec.resources[storage]: Invalid value: "0": must be greater than zero'],
    ],
    [
      "with an unknown access mode",
      { ...spec, accessModes: ["ReadOnce"] },
      [`spec.accessModes: Unsupported value: "ReadOnce": supported values: ${modes}`],
    ],
    [
      "with ReadWriteOncePod and ReadWriteMany",
      { ...spec, accessModes: ["ReadWriteOncePod", "ReadWriteMany"] },
      ["spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"],
    ],
    [
      "with an unknown volume mode",
      { ...spec, volumeMode: "Tape" },
      ['spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'],
    ],
    [
      "with invalid class names",
      { ...spec, storageClassName: "Fast", volumeAttributesClassName: "a_b" },
      [
        `spec.storageClassName: Invalid value: "Fast": ${subdomain}`,
        `spec.volumeAttributesClassName: Invalid value: "a_b": ${subdomain}`,
      ],
    ],
    [
      "with a broken selector",
      { ...spec, selector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      [
        "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
    [
      "of a copy of something in the core group",
      { ...spec, dataSource: { kind: "Pod", name: "" } },
      [
        "spec.dataSource.name: Required value",
        "spec.dataSource: Invalid value: \"Pod\": must be 'PersistentVolumeClaim' when referencing the default apiGroup",
      ],
    ],
    [
      "of two different copies",
      {
        ...spec,
        dataSource: { kind: "PersistentVolumeClaim", name: "a" },
        dataSourceRef: { kind: "PersistentVolumeClaim", name: "b" },
      },
      ['spec: Invalid value: "spec.dataSource": must match dataSourceRef'],
    ],
    [
      "of a copy from another namespace in both fields",
      {
        ...spec,
        dataSource: { kind: "PersistentVolumeClaim", name: "a" },
        dataSourceRef: { kind: "PersistentVolumeClaim", name: "a", namespace: "other" },
      },
      ['spec: Invalid value: "spec.dataSource": may not be specified when dataSourceRef.namespace is specified'],
    ],
  ])("%s", (_name, body, faults) => {
    expect(faultsOf(body)).toEqual(faults);
  });
});

describe("a pod's ephemeral claim", () => {
  test.each<[string, object, string[]]>([
    ["that is valid", { metadata: { labels: { a: "b" } }, spec }, []],
    [
      "that is named",
      { metadata: { name: "x" }, spec },
      ["spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set"],
    ],
    [
      "of no storage",
      { spec: { accessModes: ["ReadWriteOnce"] } },
      ["spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value"],
    ],
  ])("%s", (_name, volumeClaimTemplate, faults) => {
    const pod = anObject(podKind, {
      spec: {
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "v", ephemeral: { volumeClaimTemplate } }],
      },
    });
    expect(validateCreate(podKind, pod).map(({ field, message }) => `${field}: ${message}`)).toEqual(faults);
  });
});

const beta = "volume.beta.kubernetes.io/storage-class";
const immutable =
  "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

interface ClaimChange {
  before?: object;
  after: object;
  status?: object;
  annotations?: [before: object, after: object];
}

function changeFaults({ before = {}, after, status = {}, annotations = [{}, {}] }: ClaimChange): string[] {
  const [old, next] = [before, after].map((changed, index) =>
    anObject(persistentVolumeClaimKind, {
      metadata: { resourceVersion: "1", annotations: annotations[index] },
      spec: { ...spec, ...changed },
      status,
    }),
  );
  return validateUpdate(persistentVolumeClaimKind, { before: old!, after: next! }).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

const sized = (storage: string) => ({ resources: { requests: { storage } } });
const bound = { phase: "Bound", capacity: { storage: "1Gi" } };

describe("a claim's change", () => {
  test.each<[string, ClaimChange, string[]]>([
    ["that binds it", { after: { volumeName: "v" } }, []],
    [
      "to another volume",
      { before: { volumeName: "v" }, after: { volumeName: "w" } },
      [`${immutable}\n-  spec.volumeName: "v"\n+  spec.volumeName: "w"\n`],
    ],
    ["that expands a bound claim", { after: sized("2Gi"), status: bound }, []],
    [
      "that expands an unbound claim",
      { after: sized("2Gi") },
      [`${immutable}\n-  spec.resources.requests.storage: "1Gi"\n+  spec.resources.requests.storage: "2Gi"\n`],
    ],
    ["that reverts half of an expansion", { before: sized("4Gi"), after: sized("2Gi"), status: bound }, []],
    [
      "that shrinks it to its present size",
      { before: sized("4Gi"), after: sized("1Gi"), status: bound },
      ["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"],
    ],
    ["that names a class for the first time", { after: { storageClassName: "fast" } }, []],
    [
      "to another class",
      { before: { storageClassName: "slow" }, after: { storageClassName: "fast" } },
      [`${immutable}\n-  spec.storageClassName: "slow"\n+  spec.storageClassName: "fast"\n`],
    ],
    [
      "that moves its class from the annotation to the field",
      { after: { storageClassName: "slow" }, annotations: [{ [beta]: "slow" }, {}] },
      [],
    ],
    [
      "of the annotation with its class",
      { after: {}, annotations: [{ [beta]: "slow" }, { [beta]: "fast" }] },
      [`metadata.annotations[${beta}]: Invalid value: "fast": field is immutable`],
    ],
    ["to a first VolumeAttributesClass", { after: { volumeAttributesClassName: "gold" } }, []],
    [
      "to another VolumeAttributesClass",
      { before: { volumeAttributesClassName: "gold" }, after: { volumeAttributesClassName: "silver" } },
      [],
    ],
    [
      "to no VolumeAttributesClass",
      { before: { volumeAttributesClassName: "gold" }, after: {} },
      ["spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden"],
    ],
    [
      "from a filesystem to a device",
      { after: { volumeMode: "Block" } },
      [
        `${immutable}\n-  spec.volumeMode: "Filesystem"\n+  spec.volumeMode: "Block"\n`,
        'volumeMode: Invalid value: "Block": field is immutable',
      ],
    ],
  ])("%s", (_name, change, faults) => {
    expect(changeFaults(change)).toEqual(faults);
  });
});

test("a status names only storage and known states of an expansion", () => {
  const status = {
    capacity: { storage: "-1" },
    allocatedResources: { cpu: "1", storage: "1Gi" },
    allocatedResourceStatuses: { storage: "Growing" },
  };
  const metadata = { resourceVersion: "1" };
  const [before, after] = [anObject(persistentVolumeClaimKind, { metadata, spec }), { metadata, spec, status }];
  const issues = validateUpdate(persistentVolumeClaimKind, {
    before,
    after: anObject(persistentVolumeClaimKind, after),
    subresource: "status",
  });
  expect(issues.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    'status.capacity[storage]: Invalid value: "-1": must be a valid resource quantity',
    'status.allocatedResourceStatus: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
    'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
  ]);
});
