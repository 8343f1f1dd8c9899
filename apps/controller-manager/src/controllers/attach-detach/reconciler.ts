import {
  apiVersionOf,
  claimOfVolume,
  csiDrivers,
  isApiError,
  isPodTerminal,
  nodes,
  parseKey,
  type PersistentVolume,
  persistentVolumeClaims,
  persistentVolumes,
  type Pod,
  pods,
  type VolumeAttachment,
  volumeAttachments,
} from "@kintsugi/api";
import { attachmentNameOf } from "@kintsugi/csi";
import { done, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import type { attachDetachOptions } from "./options.ts";
import { type NodeVolumes, planVolumes, type VolumesPlan, type WantedVolume } from "./plan.ts";

/** Another client wrote first; its change has usually arrived by the next try. */
const conflictRetryMs = 50;
/**
 * The retry of a volume that is attached to another node. Its detachment wakes the key; this
 * interval covers a lost change.
 */
const heldRetryMs = 30_000;

/** Attaches and detaches the volumes of nodes, one node at a time. */
export class AttachDetachReconciler {
  readonly #context: ControllerContext<typeof attachDetachOptions>;
  /**
   * Monotonic times at which attachments became unwanted; a new leader starts with new times, as
   * upstream's does.
   */
  readonly #unwantedSinceMs = new Map<string, number>();

  constructor(context: ControllerContext<typeof attachDetachOptions>) {
    this.#context = context;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { clock, options } = this.#context;
    const world = this.#observe(parseKey(key).name);
    const plan = planVolumes(world, options, clock.monotonicMs());
    try {
      if (!(await this.#reportAttached(world, plan, signal))) return { retryAfterMs: conflictRetryMs };
      for (const attachment of plan.detach) await this.#detach(attachment, signal);
      for (const wanted of plan.attach) await this.#attach(wanted, world.nodeName, signal);
    } catch (error) {
      if (isApiError(error, "Conflict")) return { retryAfterMs: conflictRetryMs };
      throw error;
    }
    for (const { pod, volume } of plan.heldElsewhere) this.#recordHeld(pod, volume);
    const waitMs = Math.min(plan.retryAfterMs ?? Infinity, plan.heldElsewhere.length > 0 ? heldRetryMs : Infinity);
    return Number.isFinite(waitMs) ? { retryAfterMs: waitMs } : done;
  }

  #observe(nodeName: string): NodeVolumes {
    const { informers, clock } = this.#context;
    const attachments = informers.of(volumeAttachments).byIndex("node", nodeName);
    const wanted = informers
      .of(pods)
      .byIndex("node", nodeName)
      .filter((pod) => !isPodTerminal(pod))
      .flatMap((pod) => this.#volumesOf(pod));
    const names = new Set(wanted.map(({ volume }) => attachmentName(volume, nodeName)));
    for (const { metadata } of attachments) {
      const name = metadata.name ?? "";
      if (names.has(name)) this.#unwantedSinceMs.delete(name);
      else if (!this.#unwantedSinceMs.has(name)) this.#unwantedSinceMs.set(name, clock.monotonicMs());
    }
    return {
      nodeName,
      node: informers.of(nodes).find({ namespace: "", name: nodeName }),
      wanted,
      attachments,
      attachmentsOf: (volumeName) => informers.of(volumeAttachments).byIndex("volume", volumeName),
      findVolume: (name) => informers.of(persistentVolumes).find({ namespace: "", name }),
      unwantedSinceMs: (name) => this.#unwantedSinceMs.get(name) ?? clock.monotonicMs(),
    };
  }

  /** Returns the pod's volumes that are bound and that a driver attaches. */
  #volumesOf(pod: Pod): WantedVolume[] {
    const { informers } = this.#context;
    const { namespace = "", name: podName = "" } = pod.metadata;
    return (pod.spec?.volumes ?? []).flatMap((each) => {
      const name = claimOfVolume(each, podName) ?? "";
      const claim = name === "" ? undefined : informers.of(persistentVolumeClaims).find({ namespace, name });
      const volumeName = claim?.status?.phase === "Bound" ? (claim.spec?.volumeName ?? "") : "";
      const volume =
        volumeName === "" ? undefined : informers.of(persistentVolumes).find({ namespace: "", name: volumeName });
      const driver = volume?.spec?.csi?.driver;
      if (volume === undefined || driver === undefined || volume.spec?.claimRef?.uid !== claim?.metadata.uid) return [];
      const known = informers.of(csiDrivers).find({ namespace: "", name: driver });
      return known?.spec.attachRequired === false ? [] : [{ pod, volume }];
    });
  }

  async #attach({ volume, pod }: WantedVolume, nodeName: string, signal: AbortSignal): Promise<void> {
    const { client } = this.#context;
    const attachment: VolumeAttachment = {
      apiVersion: apiVersionOf(volumeAttachments),
      kind: volumeAttachments.kind,
      metadata: { name: attachmentName(volume, nodeName) },
      spec: {
        attacher: volume.spec?.csi?.driver ?? "",
        nodeName,
        source: { persistentVolumeName: volume.metadata.name ?? "" },
      },
    };
    try {
      await client.create(volumeAttachments, attachment, { signal });
    } catch (error) {
      // An attachment that is being deleted has to be removed first; its removal wakes the node.
      if (isApiError(error, "AlreadyExists")) return;
      const message = `AttachVolume.Attach failed for volume "${volume.metadata.name}" : ${(error as Error).message}`;
      this.#context.recordEvent({
        about: referenceTo(pods, pod),
        type: "Warning",
        reason: "FailedAttachVolume",
        message,
      });
      throw error;
    }
  }

  async #detach({ metadata }: VolumeAttachment, signal: AbortSignal): Promise<void> {
    const { name = "", uid } = metadata;
    try {
      await this.#context.client.delete(
        volumeAttachments,
        { namespace: "", name },
        { signal, preconditions: uid === undefined ? {} : { uid } },
      );
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
    }
  }

  /** Returns whether the Node lists the attached volumes now. */
  async #reportAttached(
    { node }: NodeVolumes,
    { volumesAttached }: VolumesPlan,
    signal: AbortSignal,
  ): Promise<boolean> {
    const reported = (node?.status?.volumesAttached ?? []).map(({ name }) => name);
    if (node === undefined || reported.toSorted().join() === volumesAttached.join()) return true;
    const listed = volumesAttached.map((name) => ({ name, devicePath: "" }));
    const next = { ...node, status: { ...node.status, volumesAttached: listed } };
    try {
      await this.#context.client.update(nodes, next, { subresource: "status", signal });
      return true;
    } catch (error) {
      if (isApiError(error, "NotFound")) return true;
      if (isApiError(error, "Conflict")) return false;
      throw error;
    }
  }

  #recordHeld(pod: Pod, volume: PersistentVolume): void {
    const message = `Multi-Attach error for volume "${volume.metadata.name}" Volume is already exclusively attached to one node and can't be attached to another`;
    this.#context.recordEvent({
      about: referenceTo(pods, pod),
      type: "Warning",
      reason: "FailedAttachVolume",
      message,
    });
  }

  /** Records a successful attachment as an event of the pods that wait for it. */
  recordAttached(attachment: VolumeAttachment): void {
    const { nodeName, source } = attachment.spec;
    for (const { pod, volume } of this.#observe(nodeName).wanted) {
      if (volume.metadata.name !== source.persistentVolumeName) continue;
      const message = `AttachVolume.Attach succeeded for volume "${volume.metadata.name}" `;
      this.#context.recordEvent({
        about: referenceTo(pods, pod),
        type: "Normal",
        reason: "SuccessfulAttachVolume",
        message,
      });
    }
  }

  /** Records the driver's error as an event of the pods that wait for the attachment. */
  recordFailed({ spec }: VolumeAttachment, fault: string): void {
    for (const { pod, volume } of this.#observe(spec.nodeName).wanted) {
      if (volume.metadata.name !== spec.source.persistentVolumeName) continue;
      const message = `AttachVolume.Attach failed for volume "${volume.metadata.name}" : ${fault}`;
      this.#context.recordEvent({
        about: referenceTo(pods, pod),
        type: "Warning",
        reason: "FailedAttachVolume",
        message,
      });
    }
  }

  /** Removes the start of the wait of an attachment that no longer exists. */
  forget(attachmentName: string): void {
    this.#unwantedSinceMs.delete(attachmentName);
  }
}

function attachmentName({ spec }: PersistentVolume, nodeName: string): string {
  return spec?.csi === undefined ? "" : attachmentNameOf(spec.csi, nodeName);
}
