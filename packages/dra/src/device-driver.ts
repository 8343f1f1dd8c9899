/**
 * The calls of a device driver on its node: upstream's DRAPlugin
 * (staging/src/k8s.io/kubelet/pkg/apis/dra). Both can be repeated; the answer has an entry for each
 * claim of the request, by its UID.
 */
export interface DeviceDriver {
  nodePrepareResources(claims: readonly ClaimReference[], signal?: AbortSignal): Promise<PreparedClaims>;
  nodeUnprepareResources(claims: readonly ClaimReference[], signal?: AbortSignal): Promise<UnpreparedClaims>;
}

export interface ClaimReference {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export type PreparedClaims = ReadonlyMap<string, PreparedClaim>;
export type UnpreparedClaims = ReadonlyMap<string, ClaimOutcome>;

/** Devices are meaningless together with an error. */
export interface PreparedClaim extends ClaimOutcome {
  readonly devices: readonly PreparedDevice[];
}

export interface ClaimOutcome {
  /** "" means success. */
  readonly error: string;
}

export interface PreparedDevice {
  /** The requests of the claim that the device fulfills; empty means all requests. */
  readonly requestNames: readonly string[];
  readonly poolName: string;
  readonly deviceName: string;
  /** Names of the Container Device Interface: "vendor.example.com/class=device". */
  readonly cdiDeviceIds: readonly string[];
}

export type DeviceCallName = "nodePrepareResources" | "nodeUnprepareResources";
