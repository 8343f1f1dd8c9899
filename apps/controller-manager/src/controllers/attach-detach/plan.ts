import type { Node, PersistentVolume, Pod, VolumeAttachment } from "@kintsugi/api";
import { attachmentNameOf, uniqueVolumeName } from "@kintsugi/csi";

// The volumes of one node. A volume is attached while a pod that is bound to the node uses it:
//
//   wanted, no attachment    ─► create the VolumeAttachment, unless another node has the volume
//   attachment, not wanted   ─► when the node has unmounted it, or the wait is over, or the node is
//                               out of service: remove it from volumesAttached, then delete it

/** A CSI volume that a pod of the node uses. */
export interface WantedVolume {
  readonly volume: PersistentVolume;
  readonly pod: Pod;
}

export interface NodeVolumes {
  readonly nodeName: string;
  /** Undefined: the Node no longer exists. */
  readonly node: Node | undefined;
  readonly wanted: readonly WantedVolume[];
  /** The attachments to this node. */
  readonly attachments: readonly VolumeAttachment[];
  /** Returns the attachments of a volume to any node. */
  readonly attachmentsOf: (volumeName: string) => readonly VolumeAttachment[];
  findVolume(name: string): PersistentVolume | undefined;
  /** Returns the monotonic time at which the attachment became unwanted. */
  unwantedSinceMs(attachmentName: string): number;
}

export interface VolumesPlan {
  readonly attach: readonly WantedVolume[];
  readonly detach: readonly VolumeAttachment[];
  /** Volumes that are attached to another node, with that node. */
  readonly heldElsewhere: readonly (WantedVolume & { readonly nodeName: string })[];
  /** The names that the Node's `volumesAttached` must list. */
  readonly volumesAttached: readonly string[];
  /**
   * The next decision is due after this time; undefined when only a change leads to a new decision.
   */
  readonly retryAfterMs: number | undefined;
}

export function planVolumes(
  world: NodeVolumes,
  { maxWaitForUnmountMs }: { maxWaitForUnmountMs: number },
  nowMs: number,
): VolumesPlan {
  const { nodeName, wanted, attachments, node } = world;
  const present = new Set(attachments.map(({ metadata }) => metadata.name));
  const wantedNames = new Set(wanted.map(({ volume }) => nameOf(volume, nodeName)));
  const missing = wanted.filter(({ volume }) => !present.has(nameOf(volume, nodeName)));
  const detach: VolumeAttachment[] = [];
  const waits: number[] = [];
  for (const attachment of attachments) {
    const { name = "", deletionTimestamp } = attachment.metadata;
    if (wantedNames.has(name) || deletionTimestamp !== undefined) continue;
    const dueInMs = world.unwantedSinceMs(name) + maxWaitForUnmountMs - nowMs;
    if (mayDetach(node, volumeOf(world, attachment), dueInMs)) detach.push(attachment);
    else if (dueInMs > 0) waits.push(dueInMs);
  }
  const heldElsewhere = missing.flatMap((each) => {
    const holder = holderOf(world, each.volume);
    return holder === undefined ? [] : [{ ...each, nodeName: holder }];
  });
  const held = new Set(heldElsewhere.map(({ volume }) => volume));
  const attached = attachments.filter(
    (each) => each.status?.attached === true && each.metadata.deletionTimestamp === undefined && !detach.includes(each),
  );
  return {
    attach: missing.filter(
      ({ volume }, index) => !held.has(volume) && missing.findIndex((each) => each.volume === volume) === index,
    ),
    detach,
    heldElsewhere,
    volumesAttached: attached.flatMap((each) => uniqueNameOf(volumeOf(world, each)) ?? []).toSorted(),
    retryAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

function isOutOfService(node: Node | undefined): boolean {
  return node?.spec?.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") ?? false;
}

/** Reports that the node no longer uses the volume, or that its use no longer counts. */
function mayDetach(node: Node | undefined, volume: PersistentVolume | undefined, dueInMs: number): boolean {
  if (isOutOfService(node)) return true;
  const isOverdue = dueInMs <= 0;
  if (node === undefined) return isOverdue;
  const name = uniqueNameOf(volume);
  if (name === undefined || !(node.status?.volumesInUse ?? []).includes(name)) return true;
  const isReady = node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  return isOverdue && !isReady;
}

/** Only a volume that several nodes may use is attached to a second node. */
function holderOf({ nodeName, attachmentsOf }: NodeVolumes, volume: PersistentVolume): string | undefined {
  const modes = volume.spec?.accessModes ?? [];
  if (modes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany")) return undefined;
  return attachmentsOf(volume.metadata.name ?? "").find(({ spec }) => spec.nodeName !== nodeName)?.spec.nodeName;
}

function volumeOf(world: NodeVolumes, { spec }: VolumeAttachment): PersistentVolume | undefined {
  return world.findVolume(spec.source.persistentVolumeName ?? "");
}

function nameOf({ spec }: PersistentVolume, nodeName: string): string {
  return spec?.csi === undefined ? "" : attachmentNameOf(spec.csi, nodeName);
}

function uniqueNameOf(volume: PersistentVolume | undefined): string | undefined {
  return volume?.spec?.csi === undefined ? undefined : uniqueVolumeName(volume.spec.csi);
}
