import type { ApiObject } from "../meta/api-object.ts";
import type { ResourceType } from "../meta/resource-type.ts";

// The kinds of external-snapshotter v8, which are custom resources: snapshot.storage.k8s.io/v1. A
// snapshot and its content name each other, as a claim and its volume do:
//
//   VolumeSnapshot ─ status.boundVolumeSnapshotContentName ─► VolumeSnapshotContent
//                  ◄────────── spec.volumeSnapshotRef ────────

/** The last error of a snapshot's creation. */
export interface SnapshotError {
  /** RFC 3339. */
  readonly time?: string;
  readonly message?: string;
}

/** A user's request for a snapshot of a claim's volume, or for an existing snapshot. */
export interface VolumeSnapshot extends ApiObject {
  readonly spec: {
    /** Exactly one of the fields is set. */
    readonly source: { readonly persistentVolumeClaimName?: string; readonly volumeSnapshotContentName?: string };
    /** Defaults to the driver's default class. */
    readonly volumeSnapshotClassName?: string;
  };
  readonly status?: VolumeSnapshotStatus;
}

export interface VolumeSnapshotStatus {
  readonly boundVolumeSnapshotContentName?: string;
  /** RFC 3339. */
  readonly creationTime?: string;
  readonly readyToUse?: boolean;
  /** A quantity, the minimum size of a volume that is created from the snapshot. */
  readonly restoreSize?: string;
  readonly error?: SnapshotError;
}

/** A snapshot in the storage of its driver. */
export interface VolumeSnapshotContent extends ApiObject {
  readonly spec: {
    readonly deletionPolicy: "Delete" | "Retain";
    readonly driver: string;
    /** Exactly one field is set: the volume to be copied, or the driver's name of a snapshot. */
    readonly source: { readonly volumeHandle?: string; readonly snapshotHandle?: string };
    readonly sourceVolumeMode?: string;
    readonly volumeSnapshotClassName?: string;
    readonly volumeSnapshotRef: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly namespace?: string;
      readonly name?: string;
      readonly uid?: string;
      readonly resourceVersion?: string;
    };
  };
  readonly status?: VolumeSnapshotContentStatus;
}

export interface VolumeSnapshotContentStatus {
  readonly snapshotHandle?: string;
  /** Nanoseconds since 1970. */
  readonly creationTime?: number;
  readonly readyToUse?: boolean;
  /** Bytes. */
  readonly restoreSize?: number;
  readonly error?: SnapshotError;
}

export interface VolumeSnapshotClass extends ApiObject {
  readonly driver: string;
  readonly deletionPolicy: "Delete" | "Retain";
  readonly parameters?: Readonly<Record<string, string>>;
}

const group = "snapshot.storage.k8s.io";
const version = "v1";
const categories: readonly string[] = [];

export const volumeSnapshots: ResourceType<VolumeSnapshot> = {
  group,
  version,
  resource: "volumesnapshots",
  singular: "volumesnapshot",
  kind: "VolumeSnapshot",
  namespaced: true,
  shortNames: ["vs"],
  categories,
};

export const volumeSnapshotContents: ResourceType<VolumeSnapshotContent> = {
  group,
  version,
  resource: "volumesnapshotcontents",
  singular: "volumesnapshotcontent",
  kind: "VolumeSnapshotContent",
  namespaced: false,
  shortNames: ["vsc", "vscs"],
  categories,
};

export const volumeSnapshotClasses: ResourceType<VolumeSnapshotClass> = {
  group,
  version,
  resource: "volumesnapshotclasses",
  singular: "volumesnapshotclass",
  kind: "VolumeSnapshotClass",
  namespaced: false,
  shortNames: ["vsclass", "vsclasses"],
  categories,
};

/** Annotation of the default class for snapshots of a driver's volumes. */
export const defaultSnapshotClassAnnotation = "snapshot.storage.kubernetes.io/is-default-class";

/** Returns the name of the content that is created for a snapshot of a claim. */
export function contentNameOf({ metadata }: Pick<VolumeSnapshot, "metadata">): string {
  return `snapcontent-${metadata.uid}`;
}
