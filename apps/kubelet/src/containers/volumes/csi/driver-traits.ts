import { csiDrivers } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

export type FsGroupPolicy = "ReadWriteOnceWithFSType" | "File" | "None";

/** The properties in a driver's CSIDriver, with upstream's defaults. */
export interface DriverTraits {
  /** A volume is attached to its node before it is mounted. */
  readonly attaches: boolean;
  /** The driver receives the pod's name, namespace, UID and service account. */
  readonly wantsPodInfo: boolean;
  readonly fsGroupPolicy: FsGroupPolicy;
  /** Undefined where there is no CSIDriver: such a driver has only persistent volumes. */
  readonly lifecycleModes: readonly string[] | undefined;
}

/** Reads the driver's object, which is optional. @throws ApiError */
export async function traitsOf(client: Pick<Client, "find">, driverName: string): Promise<DriverTraits> {
  const { spec } = (await client.find(csiDrivers, { namespace: "", name: driverName })) ?? {};
  return {
    attaches: spec?.attachRequired !== false,
    wantsPodInfo: spec?.podInfoOnMount === true,
    fsGroupPolicy: (spec?.fsGroupPolicy as FsGroupPolicy | undefined) ?? "ReadWriteOnceWithFSType",
    lifecycleModes: spec && (spec.volumeLifecycleModes ?? ["Persistent"]),
  };
}

/** @throws Error in upstream's words (csi_plugin.go supportsVolumeLifecycleMode). */
export function requireEphemeral(driverName: string, { lifecycleModes }: DriverTraits): void {
  if (lifecycleModes?.includes("Ephemeral")) return;
  const only = lifecycleModes === undefined ? "no CSIDriver object" : `only supports ${JSON.stringify(lifecycleModes)}`;
  throw new Error(`volume mode "Ephemeral" not supported by driver ${driverName} (${only})`);
}

export interface GroupedVolume {
  readonly fsGroup: number | undefined;
  readonly readonly: boolean;
  readonly fsType: string;
  /** Undefined for an inline volume, which has no access mode. */
  readonly accessModes: readonly string[] | undefined;
}

/**
 * Returns who sets the pod's group on the files (csi_mounter.go supportsFSGroup): the driver where
 * it can, the kubelet where the policy requires it, or undefined.
 */
export function groupGiver(
  { fsGroup, readonly, fsType, accessModes }: GroupedVolume,
  { policy, isDelegated }: { policy: FsGroupPolicy; isDelegated: boolean },
): "driver" | "kubelet" | "none" {
  if (fsGroup === undefined) return "none";
  if (isDelegated) return "driver";
  if (readonly || policy === "None") return "none";
  if (policy === "File") return "kubelet";
  const isForOneNode = accessModes?.some((mode) => mode === "ReadWriteOnce" || mode === "ReadWriteOncePod") ?? true;
  return fsType !== "" && isForOneNode ? "kubelet" : "none";
}
