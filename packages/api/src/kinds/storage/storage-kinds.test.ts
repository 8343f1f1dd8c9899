import { describe, expect, test } from "vitest";
import { anObject } from "../../validation/testing/an-object.ts";
import { validateCreate, validateUpdate } from "../../validation/validate.ts";
import type { Kind } from "../define-kind.ts";
import { csiDriverKind } from "./csi-driver/csi-driver-kind.ts";
import { csiNodeKind } from "./csi-node/csi-node-kind.ts";
import { csiStorageCapacityKind } from "./csi-storage-capacity/csi-storage-capacity-kind.ts";
import { storageClassKind } from "./storage-class/storage-class-kind.ts";
import { volumeAttachmentKind } from "./volume-attachment/volume-attachment-kind.ts";
import {
  volumeAttributesClassKind,
  volumeAttributesClassV1beta1Kind,
} from "./volume-attributes-class/volume-attributes-class-kinds.ts";

const provisioner = "disk.example.com";
const zone = (...values: string[]) => ({ matchLabelExpressions: [{ key: "zone", values }] });
const attachment = { attacher: provisioner, nodeName: "n1", source: { persistentVolumeName: "v" } };
const driver = { name: provisioner, nodeID: "1", topologyKeys: ["zone"] };
const qualified =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const inline = "in the context of inline volumes";
const oneSource = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

const asTexts = (issues: readonly { field: string; message: string }[]): string[] =>
  issues.map(({ field, message }) => `${field}: ${message}`);

describe("a new object", () => {
  test.each<[string, Kind, object, string[]]>([
    ["StorageClass", storageClassKind, { provisioner, allowedTopologies: [zone("a"), zone("b")] }, []],
    ["StorageClass without a provisioner", storageClassKind, {}, ["provisioner: Required value"]],
    [
      "StorageClass with unknown policies",
      storageClassKind,
      { provisioner: "a b", reclaimPolicy: "Recycle", volumeBindingMode: "Later" },
      [
        `provisioner: Invalid value: "a b": ${qualified}`,
        'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
        'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
      ],
    ],
    [
      "StorageClass of repeated topologies",
      storageClassKind,
      { provisioner, allowedTopologies: [zone("a", "b"), zone("b", "a"), zone("c", "c"), zone()] },
      [
        'allowedTopologies[1].matchLabelExpressions: Duplicate value: ""',
        'allowedTopologies[2].matchLabelExpressions[0].values[1]: Duplicate value: "c"',
        "allowedTopologies[3].matchLabelExpressions[0].values: Required value",
      ],
    ],
    [
      "StorageClass with too large parameters",
      storageClassKind,
      { provisioner, parameters: { "": "x".repeat(262_145) } },
      [
        'parameters: Invalid value: "": field can not be empty.',
        "parameters: Too long: may not be more than 262144 bytes",
      ],
    ],
    ["VolumeAttachment", volumeAttachmentKind, { spec: attachment }, []],
    [
      "VolumeAttachment without a source and with an invalid node",
      volumeAttachmentKind,
      { spec: { ...attachment, source: {}, nodeName: "A" } },
      [`spec.source: Required value: ${oneSource}`, `spec.nodeName: Invalid value: "A": ${subdomain}`],
    ],
    [
      "VolumeAttachment of a nameless volume",
      volumeAttachmentKind,
      { spec: { ...attachment, source: { persistentVolumeName: "" } } },
      ["spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName"],
    ],
    [
      "VolumeAttachment of two volumes",
      volumeAttachmentKind,
      { spec: { ...attachment, source: { persistentVolumeName: "v", inlineVolumeSpec: {} } } },
      [`spec.source: Forbidden: ${oneSource}`],
    ],
    [
      "VolumeAttachment of an inline volume that is more than its source",
      volumeAttachmentKind,
      {
        spec: {
          ...attachment,
          source: {
            inlineVolumeSpec: {
              accessModes: ["ReadWriteOnce"],
              capacity: { storage: "1Gi" },
              claimRef: { name: "c" },
              hostPath: { path: "/" },
              volumeMode: "Block",
              storageClassName: "fast",
              persistentVolumeReclaimPolicy: "Delete",
            },
          },
        },
      },
      [
        `spec.source.inlineVolumeSpec.claimRef: Forbidden: may not be specified ${inline}`,
        `spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified ${inline}`,
        `spec.source.inlineVolumeSpec.csi: Required value: has to be specified ${inline}`,
        `spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain ${inline}`,
        `spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified ${inline}`,
        `spec.source.inlineVolumeSpec.volumeMode: Forbidden: may not specify volumeMode other than Filesystem ${inline}`,
      ],
    ],
    ["CSIDriver", csiDriverKind, { spec: {} }, []],
    [
      "CSIDriver with invalid words and tokens",
      csiDriverKind,
      {
        spec: {
          fsGroupPolicy: "Never",
          volumeLifecycleModes: ["Eternal"],
          nodeAllocatableUpdatePeriodSeconds: 9,
          tokenRequests: [{ audience: "a", expirationSeconds: 599 }, { audience: "a" }],
        },
      },
      [
        'spec.fsGroupPolicy: Unsupported value: "Never": supported values: "File", "None", "ReadWriteOnceWithFSType"',
        "spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
        'spec.tokenRequests[1].audience: Duplicate value: "a"',
        'spec.volumeLifecycleModes: Unsupported value: "Eternal": supported values: "Persistent", "Ephemeral"',
        "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds",
      ],
    ],
    ["CSINode", csiNodeKind, { spec: { drivers: [driver] } }, []],
    [
      "CSINode with a driver twice",
      csiNodeKind,
      {
        spec: {
          drivers: [driver, { ...driver, nodeID: "", topologyKeys: ["a", "a"], allocatable: { count: -1 } }],
        },
      },
      [
        "spec.drivers[1].nodeID: Required value",
        "spec.drivers[1].allocatable.count: Invalid value: -1: must be greater than or equal to 0",
        'spec.drivers[1]: Duplicate value: "a"',
        `spec.drivers[1].name: Duplicate value: "${provisioner}"`,
      ],
    ],
    ["CSIStorageCapacity", csiStorageCapacityKind, { storageClassName: "fast", capacity: "1Gi" }, []],
    [
      "CSIStorageCapacity of a negative capacity",
      csiStorageCapacityKind,
      { storageClassName: "", capacity: "-1" },
      [
        `storageClassName: Invalid value: "": ${subdomain}`,
        'capacity: Invalid value: "-1": must be greater than or equal to 0',
      ],
    ],
    ["VolumeAttributesClass", volumeAttributesClassKind, { driverName: provisioner, parameters: { iops: "1" } }, []],
    [
      "VolumeAttributesClass without attributes",
      volumeAttributesClassKind,
      {},
      ["driverName: Required value", "parameters: Required value: must contain at least one key/value pair"],
    ],
  ])("%s", (_name, kind, body, faults) => {
    expect(asTexts(validateCreate(kind, anObject(kind, body)))).toEqual(faults);
  });
});

describe("a change", () => {
  test.each<[string, Kind, object, object, string[]]>([
    [
      "of a StorageClass's expansion",
      storageClassKind,
      { provisioner },
      { provisioner, allowVolumeExpansion: true },
      [],
    ],
    [
      "of any other field of a StorageClass",
      storageClassKind,
      { provisioner },
      {
        provisioner: "other.example.com",
        parameters: { a: "b" },
        reclaimPolicy: "Retain",
        volumeBindingMode: "WaitForFirstConsumer",
      },
      [
        "parameters: Forbidden: updates to parameters are forbidden.",
        "provisioner: Forbidden: updates to provisioner are forbidden.",
        "reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.",
        'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
      ],
    ],
    [
      "of a VolumeAttachment's node",
      volumeAttachmentKind,
      { spec: attachment },
      { spec: { ...attachment, nodeName: "n2" } },
      [
        `spec: Invalid value: {"attacher":"${provisioner}","nodeName":"n2","source":{"persistentVolumeName":"v"}}: field is immutable`,
      ],
    ],
    [
      "of a CSIDriver's attaching and modes",
      csiDriverKind,
      { spec: {} },
      { spec: { attachRequired: false, volumeLifecycleModes: ["Ephemeral"], podInfoOnMount: true } },
      [
        "spec.attachedRequired: Invalid value: false: field is immutable",
        'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
      ],
    ],
    [
      "of a node's limit of volumes",
      csiNodeKind,
      { spec: { drivers: [driver] } },
      {
        spec: {
          drivers: [
            { ...driver, allocatable: { count: 3 } },
            { ...driver, name: "b" },
          ],
        },
      },
      [],
    ],
    [
      "of a driver's name for a node",
      csiNodeKind,
      { spec: { drivers: [driver] } },
      { spec: { drivers: [{ ...driver, nodeID: "2" }] } },
      [
        `spec.drivers: Invalid value: {"name":"${provisioner}","nodeID":"2","topologyKeys":["zone"]}: field is immutable`,
      ],
    ],
    [
      "of a capacity's location",
      csiStorageCapacityKind,
      { storageClassName: "a", capacity: "1" },
      { storageClassName: "b", nodeTopology: {}, capacity: "2" },
      [
        "nodeTopology: Invalid value: {}: field is immutable",
        'storageClassName: Invalid value: "b": field is immutable',
      ],
    ],
    [
      "of attributes, by an older client too",
      volumeAttributesClassV1beta1Kind,
      { driverName: "a", parameters: { iops: "1" } },
      { driverName: "b", parameters: { iops: "2" } },
      [
        "driverName: Forbidden: updates to driverName are forbidden.",
        "parameters: Forbidden: updates to parameters are forbidden.",
      ],
    ],
  ])("%s", (_name, kind, before, after, faults) => {
    const metadata = { resourceVersion: "1" };
    const [old, next] = [before, after].map((body) => anObject(kind, { ...body, metadata }));
    expect(asTexts(validateUpdate(kind, { before: old!, after: next! }))).toEqual(faults);
  });

  test("a status has limits", () => {
    const metadata = { resourceVersion: "1" };
    const status = { attachmentMetadata: { a: "x".repeat(262_144) }, detachError: { message: "x".repeat(1025) } };
    const [before, after] = [{}, { status }].map((more) =>
      anObject(volumeAttachmentKind, { ...more, metadata, spec: attachment }),
    );
    const issues = validateUpdate(volumeAttachmentKind, { before: before!, after: after!, subresource: "status" });
    expect(asTexts(issues)).toEqual([
      "status.attachmentMetadata: Too long: may not be more than 262144 bytes",
      "status.detachError.message: Too long: may not be more than 262144 bytes",
    ]);
  });
});

test("defaults equal upstream's", () => {
  expect(anObject(storageClassKind, { provisioner })).toMatchObject({
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
  });
  expect(anObject(csiDriverKind, {}).spec).toEqual({
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: "ReadWriteOnceWithFSType",
    volumeLifecycleModes: ["Persistent"],
    requiresRepublish: false,
    seLinuxMount: false,
  });
});
