import type * as m from "./messages.ts";

type Nothing = Readonly<Record<never, never>>;

/** Every call of CSI that Kintsugi makes, with its request and its answer. */
export interface CsiCalls {
  getPluginInfo: [Nothing, { readonly name: string; readonly vendorVersion: string }];
  getPluginCapabilities: [Nothing, { readonly capabilities: readonly m.PluginCapability[] }];
  /** A driver that does not report its state is ready. */
  probe: [Nothing, { readonly ready?: { readonly value: boolean } | undefined }];

  createVolume: [m.CreateVolumeRequest, { readonly volume?: m.CsiVolume | undefined }];
  deleteVolume: [m.OfVolume & m.WithSecrets, Nothing];
  controllerPublishVolume: [m.ControllerPublishRequest, { readonly publishContext: m.Texts }];
  controllerUnpublishVolume: [m.ControllerUnpublishRequest, Nothing];
  validateVolumeCapabilities: [m.ValidateRequest, m.ValidateResponse];
  listVolumes: [m.PageRequest, m.ListVolumesResponse];
  getCapacity: [m.GetCapacityRequest, { readonly availableCapacity: number }];
  controllerGetCapabilities: [Nothing, m.RpcCapabilities<m.ControllerCapability>];
  createSnapshot: [m.CreateSnapshotRequest, { readonly snapshot?: m.CsiSnapshot | undefined }];
  deleteSnapshot: [m.DeleteSnapshotRequest, Nothing];
  listSnapshots: [
    m.ListSnapshotsRequest,
    { readonly entries: readonly { readonly snapshot?: m.CsiSnapshot | undefined }[]; readonly nextToken: string },
  ];
  controllerExpandVolume: [
    m.ControllerExpandRequest,
    { readonly capacityBytes: number; readonly nodeExpansionRequired: boolean },
  ];
  controllerModifyVolume: [m.ControllerModifyRequest, Nothing];

  nodeStageVolume: [m.NodeStageRequest, Nothing];
  nodeUnstageVolume: [m.OfVolume & { readonly stagingTargetPath: string }, Nothing];
  nodePublishVolume: [m.NodePublishRequest, Nothing];
  nodeUnpublishVolume: [m.OfVolume & { readonly targetPath: string }, Nothing];
  nodeGetVolumeStats: [
    m.OfVolume & { readonly volumePath: string; readonly stagingTargetPath: string },
    { readonly usage: readonly m.VolumeUsage[] },
  ];
  nodeExpandVolume: [m.NodeExpandRequest, { readonly capacityBytes: number }];
  nodeGetCapabilities: [Nothing, m.RpcCapabilities<m.NodeCapability>];
  nodeGetInfo: [Nothing, m.DriverNodeInfo];
}

export type CsiCallName = keyof CsiCalls;

/**
 * A storage driver. Every call may be repeated with the same arguments, and a repeated call
 * succeeds when its work is already done. @throws RpcError
 */
export type CsiDriver = {
  readonly [Name in CsiCallName]: (request: CsiCalls[Name][0], signal?: AbortSignal) => Promise<CsiCalls[Name][1]>;
};

/** The calls of each of CSI's services. */
export const serviceCalls = {
  Identity: ["getPluginInfo", "getPluginCapabilities", "probe"],
  Controller: [
    "createVolume",
    "deleteVolume",
    "controllerPublishVolume",
    "controllerUnpublishVolume",
    "validateVolumeCapabilities",
    "listVolumes",
    "getCapacity",
    "controllerGetCapabilities",
    "createSnapshot",
    "deleteSnapshot",
    "listSnapshots",
    "controllerExpandVolume",
    "controllerModifyVolume",
  ],
  Node: [
    "nodeStageVolume",
    "nodeUnstageVolume",
    "nodePublishVolume",
    "nodeUnpublishVolume",
    "nodeGetVolumeStats",
    "nodeExpandVolume",
    "nodeGetCapabilities",
    "nodeGetInfo",
  ],
} as const satisfies Readonly<Record<string, readonly CsiCallName[]>>;

export type CsiServiceName = keyof typeof serviceCalls;
type CsiService<Name extends CsiServiceName> = Pick<CsiDriver, (typeof serviceCalls)[Name][number]>;
export type CsiIdentity = CsiService<"Identity">;
export type CsiController = CsiService<"Controller">;
export type CsiNodeService = CsiService<"Node">;

/** Each call with its service. */
export const csiCallNames: readonly { readonly service: CsiServiceName; readonly name: CsiCallName }[] = (
  Object.keys(serviceCalls) as CsiServiceName[]
).flatMap((service) => serviceCalls[service].map((name) => ({ service, name })));
