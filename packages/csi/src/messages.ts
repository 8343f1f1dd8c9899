// The messages of CSI v1 as plain objects. Where a driver omits a value, texts are "" and lists and
// maps are empty, while nested messages are absent. Amounts are bytes.

export type Texts = Readonly<Record<string, string>>;

export interface Topology {
  readonly segments: Texts;
}

export interface CapacityRange {
  readonly requiredBytes: number;
  /** 0 means unlimited. */
  readonly limitBytes: number;
}

export type CsiAccessMode =
  | "UNKNOWN"
  | "SINGLE_NODE_WRITER"
  | "SINGLE_NODE_READER_ONLY"
  | "MULTI_NODE_READER_ONLY"
  | "MULTI_NODE_SINGLE_WRITER"
  | "MULTI_NODE_MULTI_WRITER"
  | "SINGLE_NODE_SINGLE_WRITER"
  | "SINGLE_NODE_MULTI_WRITER";

/** Exactly one of `block` and `mount` is set. */
export interface VolumeCapability {
  readonly block?: Readonly<Record<never, never>> | undefined;
  readonly mount?:
    | {
        readonly fsType: string;
        readonly mountFlags: readonly string[];
        /** The group that owns the files, if the driver has VOLUME_MOUNT_GROUP. */
        readonly volumeMountGroup?: string;
      }
    | undefined;
  readonly accessMode?: { readonly mode: CsiAccessMode } | undefined;
}

export interface VolumeContentSource {
  readonly snapshot?: { readonly snapshotId: string } | undefined;
  readonly volume?: { readonly volumeId: string } | undefined;
}

export interface CsiVolume {
  readonly volumeId: string;
  readonly capacityBytes: number;
  readonly volumeContext: Texts;
  readonly contentSource?: VolumeContentSource | undefined;
  readonly accessibleTopology: readonly Topology[];
}

export interface CreateVolumeRequest {
  readonly name: string;
  readonly capacityRange?: CapacityRange | undefined;
  readonly volumeCapabilities: readonly VolumeCapability[];
  readonly parameters?: Texts;
  readonly secrets?: Texts;
  /** Attributes that ControllerModifyVolume may change later. */
  readonly mutableParameters?: Texts;
  readonly volumeContentSource?: VolumeContentSource | undefined;
  readonly accessibilityRequirements?:
    | { readonly requisite: readonly Topology[]; readonly preferred: readonly Topology[] }
    | undefined;
}

export interface OfVolume {
  readonly volumeId: string;
}

/** The content of the Secret that a volume names for the call; absent without a Secret. */
export interface WithSecrets {
  readonly secrets?: Texts;
}

export interface ControllerPublishRequest extends OfVolume, WithSecrets {
  readonly nodeId: string;
  readonly volumeCapability?: VolumeCapability | undefined;
  readonly readonly: boolean;
  readonly volumeContext?: Texts;
}

export interface ControllerUnpublishRequest extends OfVolume, WithSecrets {
  /** "" detaches the volume from every node. */
  readonly nodeId: string;
}

export interface ValidateRequest extends OfVolume {
  readonly volumeContext?: Texts;
  readonly volumeCapabilities: readonly VolumeCapability[];
  readonly parameters?: Texts;
}

export interface ValidateResponse {
  readonly confirmed?: { readonly volumeCapabilities: readonly VolumeCapability[] } | undefined;
  readonly message: string;
}

export interface PageRequest {
  /** 0 lists all entries. */
  readonly maxEntries: number;
  readonly startingToken: string;
}

export interface ListVolumesResponse {
  readonly entries: readonly {
    readonly volume?: CsiVolume | undefined;
    readonly status?: { readonly publishedNodeIds: readonly string[] } | undefined;
  }[];
  readonly nextToken: string;
}

export interface GetCapacityRequest {
  readonly volumeCapabilities?: readonly VolumeCapability[];
  readonly parameters?: Texts;
  readonly accessibleTopology?: Topology | undefined;
}

export interface CsiSnapshot {
  readonly snapshotId: string;
  readonly sourceVolumeId: string;
  readonly sizeBytes: number;
  readonly creationTime?: { readonly seconds: number; readonly nanos: number } | undefined;
  readonly readyToUse: boolean;
}

export interface CreateSnapshotRequest extends WithSecrets {
  readonly sourceVolumeId: string;
  readonly name: string;
  readonly parameters?: Texts;
}

export interface DeleteSnapshotRequest extends WithSecrets {
  readonly snapshotId: string;
}

export interface ListSnapshotsRequest extends PageRequest, WithSecrets {
  readonly sourceVolumeId: string;
  readonly snapshotId: string;
}

export interface ControllerExpandRequest extends OfVolume, WithSecrets {
  readonly capacityRange?: CapacityRange | undefined;
  readonly volumeCapability?: VolumeCapability | undefined;
}

export interface ControllerModifyRequest extends OfVolume, WithSecrets {
  /** The driver changes only these attributes of the volume. */
  readonly mutableParameters: Texts;
}

export interface NodeStageRequest extends OfVolume, WithSecrets {
  readonly publishContext?: Texts;
  readonly stagingTargetPath: string;
  readonly volumeCapability?: VolumeCapability | undefined;
  readonly volumeContext?: Texts;
}

export interface NodePublishRequest extends NodeStageRequest {
  readonly targetPath: string;
  readonly readonly: boolean;
}

export interface VolumeUsage {
  readonly available: number;
  readonly total: number;
  readonly used: number;
  readonly unit: "UNKNOWN" | "BYTES" | "INODES";
}

export interface NodeExpandRequest extends OfVolume, WithSecrets {
  readonly volumePath: string;
  readonly capacityRange?: CapacityRange | undefined;
  readonly stagingTargetPath: string;
  readonly volumeCapability?: VolumeCapability | undefined;
}

export interface DriverNodeInfo {
  readonly nodeId: string;
  /** 0 means unlimited. */
  readonly maxVolumesPerNode: number;
  readonly accessibleTopology?: Topology | undefined;
}

export type PluginService = "UNKNOWN" | "CONTROLLER_SERVICE" | "VOLUME_ACCESSIBILITY_CONSTRAINTS";

export interface PluginCapability {
  readonly service?: { readonly type: PluginService } | undefined;
  readonly volumeExpansion?: { readonly type: "UNKNOWN" | "ONLINE" | "OFFLINE" } | undefined;
}

export type ControllerCapability =
  | "UNKNOWN"
  | "CREATE_DELETE_VOLUME"
  | "PUBLISH_UNPUBLISH_VOLUME"
  | "LIST_VOLUMES"
  | "GET_CAPACITY"
  | "CREATE_DELETE_SNAPSHOT"
  | "LIST_SNAPSHOTS"
  | "CLONE_VOLUME"
  | "PUBLISH_READONLY"
  | "EXPAND_VOLUME"
  | "LIST_VOLUMES_PUBLISHED_NODES"
  | "SINGLE_NODE_MULTI_WRITER"
  | "MODIFY_VOLUME";

export type NodeCapability =
  | "UNKNOWN"
  | "STAGE_UNSTAGE_VOLUME"
  | "GET_VOLUME_STATS"
  | "EXPAND_VOLUME"
  | "VOLUME_CONDITION"
  | "SINGLE_NODE_MULTI_WRITER"
  | "VOLUME_MOUNT_GROUP";

export interface RpcCapabilities<Type> {
  readonly capabilities: readonly { readonly rpc?: { readonly type: Type } | undefined }[];
}
