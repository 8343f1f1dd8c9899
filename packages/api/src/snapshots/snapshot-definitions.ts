import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { customResourceDefinitions } from "../kinds/apiextensions/custom-resource-definition/custom-resource-definition-type.ts";
import type { JsonSchema } from "../kinds/apiextensions/custom-resource-definition/json-schema-props.ts";
import { apiVersionOf, type ResourceType } from "../meta/resource-type.ts";
import { volumeSnapshotClasses, volumeSnapshotContents, volumeSnapshots } from "./volume-snapshot.ts";

type DefinitionVersion = CustomResourceDefinition["spec"]["versions"][number];
type Columns = NonNullable<DefinitionVersion["additionalPrinterColumns"]>;

const text = (description: string): JsonSchema => ({ type: "string", description });

const immutable = (name: string) => [{ rule: "self == oldSelf", message: `${name} is immutable` }];

/** A field that may not be removed; the rule belongs to the object that has the field. */
const keptOnceSet = (name: string) => ({
  rule: `!has(oldSelf.${name}) || has(self.${name})`,
  message: `${name} is required once set`,
});

const exactlyOne = (first: string, second: string) => ({
  rule: `has(self.${first}) != has(self.${second})`,
  message: `exactly one of ${first} and ${second} must be set`,
});

const quantityPattern =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

const error: JsonSchema = {
  type: "object",
  description: "Last error of the snapshot's creation. Removed on success.",
  properties: {
    message: text("Human-readable description of the error. Must not contain secrets."),
    time: { ...text("Time of the error."), format: "date-time" },
  },
};

const className: JsonSchema = {
  ...text("Name of the VolumeSnapshotClass."),
  "x-kubernetes-validations": [
    { rule: "size(self) > 0", message: "volumeSnapshotClassName must not be the empty string when set" },
  ],
};

const deletionPolicy: JsonSchema = {
  ...text("Handling of the driver's snapshot after the VolumeSnapshot is deleted: Delete or Retain."),
  enum: ["Delete", "Retain"],
};

const snapshotSpec: JsonSchema = {
  type: "object",
  description: "Requested snapshot and its source.",
  required: ["source"],
  properties: {
    source: {
      type: "object",
      description: "Source of the snapshot: a claim, or an existing VolumeSnapshotContent. Immutable.",
      properties: {
        persistentVolumeClaimName: {
          ...text("Name of the claim to take a snapshot of, in the same namespace."),
          "x-kubernetes-validations": immutable("persistentVolumeClaimName"),
        },
        volumeSnapshotContentName: {
          ...text("Name of the VolumeSnapshotContent of an existing snapshot."),
          "x-kubernetes-validations": immutable("volumeSnapshotContentName"),
        },
      },
      "x-kubernetes-validations": [
        keptOnceSet("persistentVolumeClaimName"),
        keptOnceSet("volumeSnapshotContentName"),
        exactlyOne("volumeSnapshotContentName", "persistentVolumeClaimName"),
      ],
    },
    volumeSnapshotClassName: {
      ...className,
      description: "Name of the VolumeSnapshotClass. Defaults to the default class of the volume's driver.",
    },
  },
};

const snapshotStatus: JsonSchema = {
  type: "object",
  description: "Observed state of the snapshot. It is bound only if snapshot and content refer to each other.",
  properties: {
    boundVolumeSnapshotContentName: text("Name of the VolumeSnapshotContent that the snapshot is bound to."),
    creationTime: { ...text("Time at which the driver took the snapshot."), format: "date-time" },
    readyToUse: { type: "boolean", description: "True if volumes can be restored from the snapshot." },
    restoreSize: {
      description: "Minimum size of a volume that is restored from the snapshot.",
      anyOf: [{ type: "integer" }, { type: "string" }],
      pattern: quantityPattern,
      "x-kubernetes-int-or-string": true,
    },
    error,
    volumeGroupSnapshotName: text("Name of the VolumeGroupSnapshot that the snapshot belongs to."),
  },
};

const contentSpec: JsonSchema = {
  type: "object",
  description: "Snapshot of a storage driver, and its source.",
  required: ["deletionPolicy", "driver", "source", "volumeSnapshotRef"],
  properties: {
    deletionPolicy,
    driver: text("Name of the CSI driver that takes the snapshot."),
    source: {
      type: "object",
      description: "Source of the snapshot: a volume, or an existing snapshot. Immutable.",
      properties: {
        volumeHandle: {
          ...text("Driver's name of the volume to take a snapshot of."),
          "x-kubernetes-validations": immutable("volumeHandle"),
        },
        snapshotHandle: {
          ...text("Driver's name of an existing snapshot."),
          "x-kubernetes-validations": immutable("snapshotHandle"),
        },
      },
      "x-kubernetes-validations": [
        keptOnceSet("volumeHandle"),
        keptOnceSet("snapshotHandle"),
        exactlyOne("volumeHandle", "snapshotHandle"),
      ],
    },
    sourceVolumeMode: {
      ...text("Mode of the volume that was copied: Filesystem or Block."),
      "x-kubernetes-validations": immutable("sourceVolumeMode"),
    },
    volumeSnapshotClassName: className,
    volumeSnapshotRef: {
      type: "object",
      description: "VolumeSnapshot that the content belongs to. Without a UID, the content is not bound yet.",
      properties: {
        apiVersion: text("API version of the object."),
        fieldPath: text("Part of the object that the reference is to."),
        kind: text("Kind of the object."),
        name: text("Name of the object."),
        namespace: text("Namespace of the object."),
        resourceVersion: text("Resource version of the object."),
        uid: text("UID of the object."),
      },
      "x-kubernetes-map-type": "atomic",
      "x-kubernetes-validations": [
        {
          rule: "has(self.name) && has(self.__namespace__)",
          message: "both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set",
        },
      ],
    },
  },
  "x-kubernetes-validations": [keptOnceSet("sourceVolumeMode")],
};

const contentStatus: JsonSchema = {
  type: "object",
  description: "Observed state of the driver's snapshot.",
  properties: {
    snapshotHandle: text("Driver's name of the snapshot. Unset until the snapshot is taken."),
    creationTime: {
      type: "integer",
      format: "int64",
      description: "Time at which the driver took the snapshot, in nanoseconds since 1970.",
    },
    readyToUse: { type: "boolean", description: "True if volumes can be restored from the snapshot." },
    restoreSize: {
      type: "integer",
      format: "int64",
      minimum: 0,
      description: "Minimum size of a volume that is restored from the snapshot, in bytes.",
    },
    error,
    volumeGroupSnapshotHandle: text("Driver's name of the group that the snapshot belongs to."),
  },
};

const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
const ready = {
  name: "ReadyToUse",
  type: "boolean",
  jsonPath: ".status.readyToUse",
  description: "True if volumes can be restored from the snapshot.",
};

const snapshotColumns: Columns = [
  ready,
  column("SourcePVC", ".spec.source.persistentVolumeClaimName", "Claim that the snapshot is of."),
  column("SourceSnapshotContent", ".spec.source.volumeSnapshotContentName", "Content that the snapshot requests."),
  column("RestoreSize", ".status.restoreSize", "Minimum size of a volume that is restored from the snapshot."),
  column("SnapshotClass", ".spec.volumeSnapshotClassName", "VolumeSnapshotClass of the snapshot."),
  column("SnapshotContent", ".status.boundVolumeSnapshotContentName", "Content that the snapshot is bound to."),
  {
    name: "CreationTime",
    type: "date",
    jsonPath: ".status.creationTime",
    description: "Time at which the driver took the snapshot.",
  },
  age,
];

const contentColumns: Columns = [
  ready,
  {
    name: "RestoreSize",
    type: "integer",
    jsonPath: ".status.restoreSize",
    description: "Minimum size of a volume that is restored from the snapshot, in bytes.",
  },
  column(
    "DeletionPolicy",
    ".spec.deletionPolicy",
    "Handling of the driver's snapshot after the VolumeSnapshot is deleted: Delete or Retain.",
  ),
  column("Driver", ".spec.driver", "CSI driver of the snapshot."),
  column("VolumeSnapshotClass", ".spec.volumeSnapshotClassName", "VolumeSnapshotClass of the snapshot."),
  column("VolumeSnapshot", ".spec.volumeSnapshotRef.name", "VolumeSnapshot that the content belongs to."),
  column("VolumeSnapshotNamespace", ".spec.volumeSnapshotRef.namespace", "Namespace of the VolumeSnapshot."),
  age,
];

const classColumns: Columns = [
  column("Driver", ".driver", "CSI driver that takes the snapshots."),
  column(
    "DeletionPolicy",
    ".deletionPolicy",
    "Handling of the driver's snapshot after a VolumeSnapshot is deleted: Delete or Retain.",
  ),
  age,
];

/**
 * The definitions of the snapshot kinds: the fields, rules and columns of external-snapshotter v8,
 * with Kintsugi's own descriptions.
 */
export const snapshotDefinitions: readonly CustomResourceDefinition[] = [
  definition(volumeSnapshots, {
    columns: snapshotColumns,
    subresources: { status: {} },
    schema: {
      description: "A VolumeSnapshot is a user's request for a snapshot of a volume, or for an existing snapshot.",
      required: ["spec"],
      properties: { spec: snapshotSpec, status: snapshotStatus },
    },
  }),
  definition(volumeSnapshotContents, {
    columns: contentColumns,
    subresources: { status: {} },
    schema: {
      description: "A VolumeSnapshotContent is a snapshot in the storage system of a driver.",
      required: ["spec"],
      properties: { spec: contentSpec, status: contentStatus },
    },
  }),
  definition(volumeSnapshotClasses, {
    columns: classColumns,
    subresources: {},
    schema: {
      description: "A VolumeSnapshotClass names the driver of snapshots and its parameters.",
      required: ["deletionPolicy", "driver"],
      properties: {
        driver: text("Name of the CSI driver that takes the snapshots."),
        deletionPolicy,
        parameters: {
          type: "object",
          additionalProperties: { type: "string" },
          description: "Parameters that are passed to the driver.",
        },
      },
    },
  }),
];

function column(name: string, jsonPath: string, description: string): Columns[number] {
  return { name, type: "string", jsonPath, description };
}

interface Parts {
  readonly columns: Columns;
  readonly subresources: NonNullable<DefinitionVersion["subresources"]>;
  readonly schema: JsonSchema;
}

/** Objects have `apiVersion`, `kind` and `metadata` in addition to the properties of the schema. */
function definition(type: ResourceType, { columns, subresources, schema }: Parts): CustomResourceDefinition {
  const { group, resource: plural, singular, kind, namespaced, shortNames, version } = type;
  const { properties, ...rest } = schema;
  const openAPIV3Schema: JsonSchema = {
    ...rest,
    type: "object",
    properties: {
      apiVersion: text("API version of the object."),
      kind: text("Kind of the object."),
      metadata: { type: "object" },
      ...properties,
    },
  };
  return {
    apiVersion: apiVersionOf(customResourceDefinitions),
    kind: customResourceDefinitions.kind,
    metadata: {
      name: `${plural}.${group}`,
      // Kubernetes owns the group, so a definition needs an approval: the approval of upstream's
      // definitions.
      annotations: {
        "api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/814",
      },
    },
    spec: {
      group,
      names: { plural, singular, kind, listKind: `${kind}List`, shortNames: [...shortNames] },
      scope: namespaced ? "Namespaced" : "Cluster",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { ...openAPIV3Schema } },
          subresources,
          additionalPrinterColumns: columns,
        },
      ],
    },
  };
}
