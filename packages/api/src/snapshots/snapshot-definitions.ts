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
  description: "The error is the last one of the snapshot's creation; a success removes it.",
  properties: {
    message: text("The message describes the error and holds nothing secret."),
    time: { ...text("The error was met at this time."), format: "date-time" },
  },
};

const className: JsonSchema = {
  ...text("The snapshot is taken by the VolumeSnapshotClass with this name."),
  "x-kubernetes-validations": [
    { rule: "size(self) > 0", message: "volumeSnapshotClassName must not be the empty string when set" },
  ],
};

const deletionPolicy: JsonSchema = {
  ...text("Delete removes the driver's snapshot with its VolumeSnapshot, and Retain keeps it."),
  enum: ["Delete", "Retain"],
};

const snapshotSpec: JsonSchema = {
  type: "object",
  description: "The spec describes the requested snapshot.",
  required: ["source"],
  properties: {
    source: {
      type: "object",
      description: "The source is a claim whose volume is copied, or a content that is there; it does not change.",
      properties: {
        persistentVolumeClaimName: {
          ...text("The snapshot is taken of this claim, in the same namespace."),
          "x-kubernetes-validations": immutable("persistentVolumeClaimName"),
        },
        volumeSnapshotContentName: {
          ...text("The snapshot is the one of this VolumeSnapshotContent."),
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
      description:
        "The snapshot is taken by the VolumeSnapshotClass with this name; the default is the class of the volume's driver that is annotated as its default.",
    },
  },
};

const snapshotStatus: JsonSchema = {
  type: "object",
  description: "The status reports the snapshot; it is bound only when snapshot and content name each other.",
  properties: {
    boundVolumeSnapshotContentName: text("The snapshot is bound to this VolumeSnapshotContent."),
    creationTime: { ...text("The driver took the snapshot at this time."), format: "date-time" },
    readyToUse: { type: "boolean", description: "Volumes can be made of the snapshot when this is true." },
    restoreSize: {
      description: "A volume that is made of the snapshot has at least this size.",
      anyOf: [{ type: "integer" }, { type: "string" }],
      pattern: quantityPattern,
      "x-kubernetes-int-or-string": true,
    },
    error,
    volumeGroupSnapshotName: text("The snapshot is part of the VolumeGroupSnapshot with this name."),
  },
};

const contentSpec: JsonSchema = {
  type: "object",
  description: "The spec describes a snapshot of a storage driver.",
  required: ["deletionPolicy", "driver", "source", "volumeSnapshotRef"],
  properties: {
    deletionPolicy,
    driver: text("The snapshot is one of the CSI driver with this name."),
    source: {
      type: "object",
      description: "The source is a volume to be copied, or a snapshot that is there; it does not change.",
      properties: {
        volumeHandle: {
          ...text("The snapshot is taken of the volume with this name of the driver's."),
          "x-kubernetes-validations": immutable("volumeHandle"),
        },
        snapshotHandle: {
          ...text("The snapshot is the one with this name of the driver's."),
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
      ...text("The volume that was copied is of this mode, Filesystem or Block."),
      "x-kubernetes-validations": immutable("sourceVolumeMode"),
    },
    volumeSnapshotClassName: className,
    volumeSnapshotRef: {
      type: "object",
      description: "The content belongs to this VolumeSnapshot; without a UID it waits for it.",
      properties: {
        apiVersion: text("The object is of this version."),
        fieldPath: text("The reference is to this part of the object."),
        kind: text("The object is of this kind."),
        name: text("The object has this name."),
        namespace: text("The object is in this namespace."),
        resourceVersion: text("The reference was made at this version of the object."),
        uid: text("The object has this UID."),
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
  description: "The status reports the driver's snapshot.",
  properties: {
    snapshotHandle: text("The driver has the snapshot under this name; it is unset until it was taken."),
    creationTime: {
      type: "integer",
      format: "int64",
      description: "The driver took the snapshot so many nanoseconds after 1970.",
    },
    readyToUse: { type: "boolean", description: "Volumes can be made of the snapshot when this is true." },
    restoreSize: {
      type: "integer",
      format: "int64",
      minimum: 0,
      description: "A volume that is made of the snapshot has at least so many bytes.",
    },
    error,
    volumeGroupSnapshotHandle: text("The snapshot is part of the group with this name of the driver's."),
  },
};

const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
const ready = {
  name: "ReadyToUse",
  type: "boolean",
  jsonPath: ".status.readyToUse",
  description: "Volumes can be made of the snapshot.",
};

const snapshotColumns: Columns = [
  ready,
  column("SourcePVC", ".spec.source.persistentVolumeClaimName", "The claim of which the snapshot is taken."),
  column("SourceSnapshotContent", ".spec.source.volumeSnapshotContentName", "The content that the snapshot requests."),
  column("RestoreSize", ".status.restoreSize", "The least size of a volume that is made of the snapshot."),
  column("SnapshotClass", ".spec.volumeSnapshotClassName", "The VolumeSnapshotClass of the snapshot."),
  column("SnapshotContent", ".status.boundVolumeSnapshotContentName", "The content that the snapshot is bound to."),
  {
    name: "CreationTime",
    type: "date",
    jsonPath: ".status.creationTime",
    description: "The time at which the driver took the snapshot.",
  },
  age,
];

const contentColumns: Columns = [
  ready,
  {
    name: "RestoreSize",
    type: "integer",
    jsonPath: ".status.restoreSize",
    description: "The least size of a volume that is made of the snapshot, in bytes.",
  },
  column("DeletionPolicy", ".spec.deletionPolicy", "Delete or Retain, when the VolumeSnapshot is deleted."),
  column("Driver", ".spec.driver", "The CSI driver that has the snapshot."),
  column("VolumeSnapshotClass", ".spec.volumeSnapshotClassName", "The VolumeSnapshotClass of the snapshot."),
  column("VolumeSnapshot", ".spec.volumeSnapshotRef.name", "The VolumeSnapshot that the content belongs to."),
  column("VolumeSnapshotNamespace", ".spec.volumeSnapshotRef.namespace", "The namespace of that VolumeSnapshot."),
  age,
];

const classColumns: Columns = [
  column("Driver", ".driver", "The CSI driver that takes the snapshots."),
  column("DeletionPolicy", ".deletionPolicy", "Delete or Retain, when a VolumeSnapshot is deleted."),
  age,
];

/**
 * The definitions of the snapshot kinds: the fields, rules and columns of external-snapshotter v8,
 * with descriptions of our own.
 */
export const snapshotDefinitions: readonly CustomResourceDefinition[] = [
  definition(volumeSnapshots, {
    columns: snapshotColumns,
    subresources: { status: {} },
    schema: {
      description: "A VolumeSnapshot is a user's request for a snapshot of a volume, or for one that is there.",
      required: ["spec"],
      properties: { spec: snapshotSpec, status: snapshotStatus },
    },
  }),
  definition(volumeSnapshotContents, {
    columns: contentColumns,
    subresources: { status: {} },
    schema: {
      description: "A VolumeSnapshotContent is a snapshot as its storage driver has it.",
      required: ["spec"],
      properties: { spec: contentSpec, status: contentStatus },
    },
  }),
  definition(volumeSnapshotClasses, {
    columns: classColumns,
    subresources: {},
    schema: {
      description: "A VolumeSnapshotClass states the driver and the parameters by which snapshots are taken.",
      required: ["deletionPolicy", "driver"],
      properties: {
        driver: text("The CSI driver with this name takes the snapshots."),
        deletionPolicy,
        parameters: {
          type: "object",
          additionalProperties: { type: "string" },
          description: "The driver receives these parameters.",
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
      apiVersion: text("The version of this representation of the object."),
      kind: text("The kind of the object."),
      metadata: { type: "object" },
      ...properties,
    },
  };
  return {
    apiVersion: apiVersionOf(customResourceDefinitions),
    kind: customResourceDefinitions.kind,
    metadata: {
      name: `${plural}.${group}`,
      // The group is one of Kubernetes' own; this is the approval of upstream's definitions.
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
