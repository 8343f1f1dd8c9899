import { describe, expect, test } from "vitest";
import { anObject } from "../../../validation/testing/an-object.ts";
import { validateCreate, validateUpdate } from "../../../validation/validate.ts";
import { persistentVolumeKind } from "./persistent-volume-kind.ts";

const base = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] };
const spec = { ...base, hostPath: { path: "/data" } };
const onNode = (key: string, value = "n1") => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: [value] }] }] },
});
const nodeAffinity = onNode("kubernetes.io/hostname");

function faultsOf(body: object): string[] {
  const volume = anObject(persistentVolumeKind, { spec: body });
  return validateCreate(persistentVolumeKind, volume).map(({ field, message }) => `${field}: ${message}`);
}

describe("a new volume", () => {
  test.each<[string, object, string[]]>([
    ["of a node's directory", spec, []],
    ["on one node", { ...base, local: { path: "/disks/1" }, nodeAffinity }, []],
    ["of a driver", { ...base, csi: { driver: "disk.example.com", volumeHandle: "1" }, mountOptions: ["noatime"] }, []],
    [
      "of nothing",
      {},
      [
        "spec.accessModes: Required value",
        "spec.capacity: Required value",
        'spec.capacity: Unsupported value: {}: supported values: "storage"',
        "spec: Required value: must specify a volume type",
      ],
    ],
    [
      "with more than storage",
      { ...spec, capacity: { storage: "1Gi", cpu: "1" } },
      ['spec.capacity: Unsupported value: {"storage":"1Gi","cpu":"1"}: supported values: "storage"'],
    ],
    [
      "of a negative size",
      { ...spec, capacity: { storage: "-1" } },
      [
        'spec.capacity[storage]: Invalid value: "-1": must be a valid resource quantity',
        'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
      ],
    ],
    [
      "with modes that exclude each other",
      { ...spec, accessModes: ["ReadWriteOncePod", "ReadOnlyMany"] },
      ["spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"],
    ],
    [
      "with an unknown policy and mode",
      { ...spec, persistentVolumeReclaimPolicy: "Burn", volumeMode: "Tape" },
      [
        'spec.persistentVolumeReclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Recycle", "Retain"',
        'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
      ],
    ],
    [
      "of two sources",
      { ...spec, nfs: { server: "s", path: "/p" } },
      ["spec.nfs: Forbidden: may not specify more than 1 volume type"],
    ],
    [
      "outside of its directory",
      { ...base, hostPath: { path: "/data/../etc", type: "Door" } },
      [
        "spec.hostPath.path: Invalid value: \"/data/../etc\": must not contain '..'",
        'spec.hostPath.type: Unsupported value: "Door": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      ],
    ],
    [
      "that would scrub a whole node",
      { ...base, hostPath: { path: "//./" }, persistentVolumeReclaimPolicy: "Recycle" },
      ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
    ],
    [
      "local to no node",
      { ...base, local: { path: "/a/../b" } },
      [
        "spec.local.path: Invalid value: \"/a/../b\": must not contain '..'",
        "spec.nodeAffinity: Required value: Local volume requires node affinity",
      ],
    ],
    [
      "with an empty affinity",
      { ...spec, nodeAffinity: {} },
      ["spec.nodeAffinity.required: Required value: must specify required node constraints"],
    ],
    [
      "for no node",
      { ...spec, nodeAffinity: { required: { nodeSelectorTerms: [] } } },
      ["spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term"],
    ],
    [
      "of a driver that lacks names",
      { ...base, csi: { driver: "", volumeHandle: "", nodePublishSecretRef: {}, nodeExpandSecretRef: { name: "s" } } },
      [
        "spec.csi.driver: Required value",
        "spec.csi.volumeHandle: Required value",
        "spec.csi.nodePublishSecretRef.name: Required value",
        "spec.csi.nodePublishSecretRef.namespace: Required value",
        "spec.csi.nodeExpandSecretRef.namespace: Required value",
      ],
    ],
    [
      "of a driver with a long name",
      { ...base, csi: { driver: "d".repeat(64), volumeHandle: "1" } },
      ["spec.csi.driver: Too long: may not be more than 63 bytes"],
    ],
    [
      "with a VolumeAttributesClass but no driver",
      { ...spec, volumeAttributesClassName: "" },
      [
        "spec.volumeAttributesClassName: Required value: an empty string is disallowed",
        "spec.csi: Required value: has to be specified when using volumeAttributesClassName",
      ],
    ],
    [
      "on a network disk without credentials",
      { ...base, iscsi: { targetPortal: "1.2.3.4", iqn: "x", lun: 256, chapAuthSession: true } },
      [
        'spec.iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa',
        "spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
        "spec.iscsi.secretRef: Required value",
      ],
    ],
    [
      "of a dataset with two names",
      { ...base, flocker: { datasetName: "a/b", datasetUUID: "u" } },
      [
        'spec.flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
        "spec.flocker.datasetName: Invalid value: \"a/b\": must not contain '/'",
      ],
    ],
  ])("%s", (_name, body, faults) => {
    expect(faultsOf(body)).toEqual(faults);
  });
});

function changeFaults(before: object, after: object): string[] {
  const [old, next] = [before, after].map((body) =>
    anObject(persistentVolumeKind, { metadata: { resourceVersion: "1" }, spec: { ...base, ...body } }),
  );
  return validateUpdate(persistentVolumeKind, { before: old!, after: next! }).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

const csi = { driver: "disk.example.com", volumeHandle: "1" };
const secret = { name: "s", namespace: "n" };
const hostPath = { path: "/data" };
const source = "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation";

describe("a volume's change", () => {
  test.each<[string, object, object, string[]]>([
    [
      "that binds it",
      { hostPath },
      { hostPath, claimRef: { namespace: "default", name: "c" }, capacity: { storage: "2Gi" } },
      [],
    ],
    [
      "to another directory",
      { hostPath },
      { hostPath: { path: "/etc" } },
      [`${source}\n-  spec.hostPath.path: "/data"\n+  spec.hostPath.path: "/etc"\n`],
    ],
    ["that adds the Secret of expansions", { csi }, { csi: { ...csi, controllerExpandSecretRef: secret } }, []],
    [
      "of the Secret of expansions",
      { csi: { ...csi, controllerExpandSecretRef: secret } },
      { csi },
      [`${source}\n-  spec.csi.controllerExpandSecretRef: {"name":"s","namespace":"n"}\n`],
    ],
    [
      "from a filesystem to a device",
      { hostPath },
      { hostPath, volumeMode: "Block" },
      ['volumeMode: Invalid value: "Block": field is immutable'],
    ],
    ["that adds its first affinity", { hostPath }, { hostPath, nodeAffinity }, []],
    [
      "that renames a label of its affinity",
      { hostPath, nodeAffinity: onNode("failure-domain.beta.kubernetes.io/zone") },
      { hostPath, nodeAffinity: onNode("topology.kubernetes.io/zone") },
      [],
    ],
    [
      "to another node",
      { hostPath, nodeAffinity: onNode("a") },
      { hostPath, nodeAffinity: onNode("a", "n2") },
      [
        'nodeAffinity: Invalid value: {"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In","values":["n2"]}]}]}}: field is immutable',
      ],
    ],
    [
      "that removes its VolumeAttributesClass",
      { csi, volumeAttributesClassName: "gold" },
      { csi },
      ["spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden"],
    ],
  ])("%s", (_name, before, after, faults) => {
    expect(changeFaults(before, after)).toEqual(faults);
  });
});
