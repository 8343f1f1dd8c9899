import {
  type CSIDriver,
  type CSINode,
  type CSIStorageCapacity,
  type DeviceClass,
  isPodBound,
  isPodTerminal,
  type Logger,
  type Namespace,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type ResourceClaim,
  type ResourceSlice,
  type StorageClass,
  sameJson,
  type VolumeAttachment,
} from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import {
  type ClusterEvent,
  type ClusterState,
  hasChanges,
  nodeChanges,
  type PodInfo,
  podInfoOf,
} from "@kintsugi/scheduling";
import { decidesTheSame } from "./kept-pod.ts";

export interface ClusterWatcherDeps {
  state: ClusterState;
  log: Logger;
  /** Pods without a node, as they are added and removed. */
  queue: { put(pod: PodInfo): void; remove(uid: string): void; onEvent(event: ClusterEvent): void };
}

/** Applies the informers' changes to the scheduler's state and queue. */
export class ClusterWatcher {
  readonly #state: ClusterState;
  readonly #queue: ClusterWatcherDeps["queue"];
  readonly #log: Logger;
  readonly #schedulerName: string;

  constructor({ state, log, queue }: ClusterWatcherDeps, options: { schedulerName: string }) {
    this.#state = state;
    this.#queue = queue;
    this.#log = log;
    this.#schedulerName = options.schedulerName;
  }

  /**
   * A bound pod uses resources until it has ended, even if another scheduler bound it. An unbound
   * pod of another scheduler is ignored.
   */
  concerns(pod: Pod): boolean {
    return !isPodTerminal(pod) && (isPodBound(pod) || this.#isOurs(pod));
  }

  onPod(change: InformerChange<Pod>): void {
    const { uid = "" } = change.object.metadata;
    if (change.type === "deleted" || isPodTerminal(change.object)) {
      this.#queue.remove(uid);
      this.#leaveNode(uid);
      this.#endNomination(uid);
      return;
    }
    const nodeName = change.object.spec?.nodeName ?? "";
    const before = change.type === "modified" ? change.before : undefined;
    if (before !== undefined && this.#isPlaced(uid, nodeName) && decidesTheSame(before, change.object)) {
      this.#state.renewPod(uid, change.object);
      return;
    }
    const pod = this.#read(change.object);
    if (pod === undefined) return;
    if (nodeName === "") this.#onUnbound(pod, before);
    else this.#onBound(pod, nodeName, before);
  }

  onNode(change: InformerChange<Node>): void {
    const node = change.object;
    if (change.type === "deleted") {
      this.#state.removeNode(node.metadata.name ?? "");
      this.#queue.onEvent({ is: "NodeDelete", node });
      return;
    }
    this.#state.putNode(node);
    if (change.type === "added") {
      this.#queue.onEvent({ is: "NodeAdd", node });
      return;
    }
    const changed = nodeChanges(node, change.before);
    if (hasChanges(changed)) this.#queue.onEvent({ is: "NodeUpdate", node, before: change.before, changed });
  }

  onNamespace({ type, object }: InformerChange<Namespace>): void {
    if (type === "deleted") this.#state.removeNamespace(object.metadata.name ?? "");
    else this.#state.putNamespace(object);
  }

  onClaim({ type, object: claim }: InformerChange<PersistentVolumeClaim>): void {
    const { storage } = this.#state;
    if (type === "deleted") return storage.removeClaim(claim);
    storage.putClaim(claim);
    this.#queue.onEvent({ is: type === "added" ? "PersistentVolumeClaimAdd" : "PersistentVolumeClaimUpdate", claim });
  }

  onVolume({ type, object: volume }: InformerChange<PersistentVolume>): void {
    const { storage } = this.#state;
    if (type === "deleted") return storage.removeVolume(volume);
    storage.putVolume(volume);
    this.#queue.onEvent({ is: type === "added" ? "PersistentVolumeAdd" : "PersistentVolumeUpdate", volume });
  }

  onStorageClass({ type, object: storageClass }: InformerChange<StorageClass>): void {
    const { storage } = this.#state;
    if (type === "deleted") return storage.removeClass(storageClass);
    storage.putClass(storageClass);
    this.#queue.onEvent({ is: type === "added" ? "StorageClassAdd" : "StorageClassUpdate", storageClass });
  }

  onCsiNode({ type, object: csiNode }: InformerChange<CSINode>): void {
    const { storage } = this.#state;
    if (type === "deleted") return storage.removeCsiNode(csiNode);
    storage.putCsiNode(csiNode);
    this.#queue.onEvent({ is: type === "added" ? "CSINodeAdd" : "CSINodeUpdate", csiNode });
  }

  onCsiDriver({ type, object: driver }: InformerChange<CSIDriver>): void {
    const { storage } = this.#state;
    if (type === "deleted") storage.removeCsiDriver(driver);
    else storage.putCsiDriver(driver);
    if (type !== "added") this.#queue.onEvent({ is: "CSIDriverUpdate", driver });
  }

  onCapacity({ type, object: capacity }: InformerChange<CSIStorageCapacity>): void {
    const { storage } = this.#state;
    if (type === "deleted") return storage.removeCapacity(capacity);
    storage.putCapacity(capacity);
    this.#queue.onEvent({ is: type === "added" ? "CSIStorageCapacityAdd" : "CSIStorageCapacityUpdate", capacity });
  }

  onAttachment({ type, object: attachment }: InformerChange<VolumeAttachment>): void {
    const { storage } = this.#state;
    if (type !== "deleted") return storage.putAttachment(attachment);
    storage.removeAttachment(attachment);
    this.#queue.onEvent({ is: "VolumeAttachmentDelete", attachment });
  }

  onDeviceClaim(change: InformerChange<ResourceClaim>): void {
    const { devices } = this.#state;
    const { type, object: claim } = change;
    if (type === "deleted") {
      devices.removeClaim(claim);
      this.#queue.onEvent({ is: "ResourceClaimDelete", claim, freed: claim.status?.allocation });
      return;
    }
    devices.putClaim(claim);
    if (type === "added") return this.#queue.onEvent({ is: "ResourceClaimAdd", claim });
    const before = change.before.status;
    // Other changes do not affect scheduling, such as a finalizer.
    const hasChanged = !sameJson(before ?? {}, claim.status ?? {});
    if (!hasChanged && claim.metadata.deletionTimestamp === change.before.metadata.deletionTimestamp) return;
    const freed = claim.status?.allocation === undefined ? before?.allocation : undefined;
    this.#queue.onEvent({ is: "ResourceClaimUpdate", claim, freed });
  }

  onDeviceClass({ type, object: deviceClass }: InformerChange<DeviceClass>): void {
    const { devices } = this.#state;
    if (type === "deleted") return devices.removeClass(deviceClass);
    devices.putClass(deviceClass);
    this.#queue.onEvent({ is: type === "added" ? "DeviceClassAdd" : "DeviceClassUpdate", deviceClass });
  }

  onDeviceSlice(change: InformerChange<ResourceSlice>): void {
    const { devices } = this.#state;
    const { type, object: slice } = change;
    // This removal is necessary, because a slice that moved to another pool would also remain in
    // its old pool.
    if (type === "modified") devices.removeSlice(change.before);
    if (type === "deleted") devices.removeSlice(slice);
    else devices.putSlice(slice);
    const events = {
      added: "ResourceSliceAdd",
      modified: "ResourceSliceUpdate",
      deleted: "ResourceSliceDelete",
    } as const;
    this.#queue.onEvent({ is: events[type], slice });
  }

  /**
   * An object that the API should have rejected must not stop the scheduling of other pods, so it
   * is skipped with a log line.
   */
  #read(pod: Pod): PodInfo | undefined {
    try {
      return podInfoOf(pod);
    } catch (error) {
      const { namespace, name } = pod.metadata;
      this.#log.error("pod left out: it cannot be read", { pod: `${namespace}/${name}`, error });
      return undefined;
    }
  }

  #onUnbound(pod: PodInfo, before: Pod | undefined): void {
    // An assumed pod is being bound, so the outcome of the binding determines its state.
    if (this.#state.isAssumed(pod.uid)) return;
    if (this.#isOurs(pod.pod) && !pod.isTerminating) {
      this.#followNomination(pod, before);
      this.#queue.put(pod);
      return;
    }
    this.#queue.remove(pod.uid);
    this.#endNomination(pod.uid);
  }

  /**
   * Only a change in the API counts. Until the API has this scheduler's decision, it shows the
   * previous state.
   */
  #followNomination(pod: PodInfo, before: Pod | undefined): void {
    // The pod's binding was determined by a read, so later events of the informer from before that
    // read are outdated.
    if (this.#state.nodeOf(pod.uid) !== undefined) return;
    const said = nominatedNodeOf(pod.pod);
    if (said === nominatedNodeOf(before) || said === this.#state.nominatedNode(pod.uid)) {
      this.#state.refreshNominated(pod);
      return;
    }
    this.#endNomination(pod.uid);
    if (said !== undefined) this.#state.nominate(pod, said);
  }

  /**
   * Ends the pod's nomination, so that the resources that were reserved for the pod are free for
   * less important pods.
   */
  #endNomination(uid: string): void {
    const ended = this.#state.removeNomination(uid);
    if (ended !== undefined) this.#queue.onEvent({ is: "AssignedPodDelete", ...ended });
  }

  #onBound(pod: PodInfo, nodeName: string, before: Pod | undefined): void {
    this.#queue.remove(pod.uid);
    if (this.#state.nominatedNode(pod.uid) !== nodeName) this.#endNomination(pod.uid);
    const wasBound = this.#state.nodeOf(pod.uid) !== undefined && !this.#state.isAssumed(pod.uid);
    this.#state.putPod(pod, nodeName);
    if (!wasBound) {
      this.#queue.onEvent({ is: "AssignedPodAdd", pod });
      return;
    }
    const earlier = before === undefined ? undefined : this.#read(before);
    if (earlier !== undefined && matters(pod, earlier))
      this.#queue.onEvent({ is: "AssignedPodUpdate", pod, before: earlier });
  }

  #leaveNode(uid: string): void {
    const nodeName = this.#state.nodeOf(uid);
    const pod = this.#state.removePod(uid);
    if (pod !== undefined && nodeName !== undefined) {
      this.#queue.onEvent({ is: "AssignedPodDelete", pod, nodeName });
    }
  }

  /** Reports whether the API has shown that the pod is bound to that node. */
  #isPlaced(uid: string, nodeName: string): boolean {
    return this.#state.nodeOf(uid) === nodeName && !this.#state.isAssumed(uid);
  }

  #isOurs({ spec }: Pod): boolean {
    return (spec?.schedulerName ?? "default-scheduler") === this.#schedulerName;
  }
}

function nominatedNodeOf(pod: Pod | undefined): string | undefined {
  return pod?.status?.nominatedNodeName || undefined;
}

/** Status changes of placed pods are frequent and do not help waiting pods. */
function matters(pod: PodInfo, before: PodInfo): boolean {
  if (pod.isTerminating !== before.isTerminating) return true;
  return JSON.stringify([pod.labels, pod.requests]) !== JSON.stringify([before.labels, before.requests]);
}
