import { csiDrivers } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

export type FsGroupPolicy = "ReadWriteOnceWithFSType" | "File" | "None";

/** The properties that a driver's CSIDriver states, with upstream's defaults. */
export interface DriverTraits {
  /** A volume is attached to its node before it is mounted. */
  readonly attaches: boolean;
  /** The driver receives the pod's name, namespace, UID and service account. */
  readonly wantsPodInfo: boolean;
  readonly fsGroupPolicy: FsGroupPolicy;
  /** Undefined where there is no CSIDriver: such a driver has persistent volumes alone. */
  readonly lifecycleModes: readonly string[] | undefined;
}

/** Reads the driver's object; a driver needs none. @throws ApiError */
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
  /** Undefined for an inline volume, which has none. */
  readonly accessModes: readonly string[] | undefined;
}

/**
 * Returns the party that gives the files to the pod's group (csi_mounter.go supportsFSGroup): the
 * driver where it can, the kubelet where the policy has it, or none.
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
