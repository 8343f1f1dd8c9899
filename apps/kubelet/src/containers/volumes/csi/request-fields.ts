import { createHash } from "node:crypto";
import { type PersistentVolume, secrets, type Volume } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { secretTexts, type Texts, type VolumeCapability } from "@kintsugi/csi";
import type { BoundPod } from "../../../model/bound-pod.ts";
import type { VolumeRecord } from "./csi-paths.ts";

export type InlineSource = NonNullable<Volume["csi"]>;

export function recordOf({ spec }: PersistentVolume): VolumeRecord {
  return { driverName: spec?.csi?.driver ?? "", volumeHandle: spec?.csi?.volumeHandle ?? "" };
}

/** Returns an inline volume's handle, computed like upstream's makeVolumeHandle. */
export function inlineRecord(pod: BoundPod, { name }: Volume, { driver }: InlineSource): VolumeRecord {
  const handle = createHash("sha256").update(`${pod.metadata.uid}${name}`).digest("hex");
  return { driverName: driver, volumeHandle: `csi-${handle}` };
}

/** Raw devices are bound to a file; file systems are bound to a directory. */
export function isDevice({ spec }: PersistentVolume): boolean {
  return spec?.volumeMode === "Block";
}

/** The first of the volume's access modes, as upstream's kubelet uses it. */
export function capabilityOf(volume: PersistentVolume, volumeMountGroup?: string): VolumeCapability {
  const { spec } = volume;
  const [mode] = spec?.accessModes ?? [];
  const modes = {
    ReadWriteOncePod: "SINGLE_NODE_SINGLE_WRITER",
    ReadOnlyMany: "MULTI_NODE_READER_ONLY",
    ReadWriteMany: "MULTI_NODE_MULTI_WRITER",
  } as const;
  const accessMode = { mode: modes[mode as keyof typeof modes] ?? ("SINGLE_NODE_WRITER" as const) };
  if (isDevice(volume)) return { block: {}, accessMode };
  const mountFlags = spec?.mountOptions ?? [];
  return { mount: mountOf({ fsType: spec?.csi?.fsType ?? "", mountFlags }, volumeMountGroup), accessMode };
}

/** Inline volumes belong to one pod of one node. */
export function inlineCapability({ fsType = "" }: InlineSource, volumeMountGroup?: string): VolumeCapability {
  const accessMode = { mode: "SINGLE_NODE_WRITER" as const };
  return { mount: mountOf({ fsType, mountFlags: [] }, volumeMountGroup), accessMode };
}

function mountOf(mount: { fsType: string; mountFlags: readonly string[] }, volumeMountGroup: string | undefined) {
  return volumeMountGroup === undefined ? mount : { ...mount, volumeMountGroup };
}

/** Returns the pod's properties for a driver with `podInfoOnMount`. */
export function podProperties(
  { metadata, spec }: BoundPod,
  { isEphemeral }: { isEphemeral: boolean },
): Record<string, string> {
  return {
    "csi.storage.k8s.io/pod.name": metadata.name,
    "csi.storage.k8s.io/pod.namespace": metadata.namespace,
    "csi.storage.k8s.io/pod.uid": metadata.uid,
    "csi.storage.k8s.io/serviceAccount.name": spec.serviceAccountName ?? "",
    "csi.storage.k8s.io/ephemeral": String(isEphemeral),
  };
}

interface SecretPlace {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/**
 * Returns the content of the Secret for a driver. @throws Error while the Secret does not exist.
 */
export async function secretFor(client: Pick<Client, "find">, place: SecretPlace | undefined): Promise<Texts> {
  const { namespace = "", name = "" } = place ?? {};
  if (name === "") return {};
  const found = await client.find(secrets, { namespace, name });
  if (found === undefined) throw new Error(`fetching secret ${namespace}/${name} failed: not found`);
  return secretTexts(found.data);
}
