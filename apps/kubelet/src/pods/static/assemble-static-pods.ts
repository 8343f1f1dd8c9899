import { isMirrorPod, type Logger, type Node, type Pod, runtimeUidOf } from "@kintsugi/api";
import type { Client, EventRecorder, Informer, InformerChange } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { type BoundPod, boundPod } from "../../model/bound-pod.ts";
import type { PodWorkers } from "../work/pod-workers.ts";
import type { StatusWriter } from "../status/status-writer.ts";
import type { ManifestSource } from "./manifest-source.ts";
import { MirrorKeeper } from "./mirror-keeper.ts";
import { StaticPods, type StaticPodsOptions } from "./static-pods.ts";

export interface StaticPodsAround {
  client: Client;
  clock: Clock;
  log: Logger;
  events: EventRecorder;
  informer: Informer<Pod>;
  statuses: StatusWriter;
  readonly workers: () => PodWorkers;
  readonly node: () => Node | undefined;
}

/** The static pods of a node with their mirrors, between the workers and the API. */
export interface StaticPodLoops {
  pods: StaticPods;
  mirrors: MirrorKeeper;
  /** The mirror in the API of the static pod with this uid. */
  findMirror(uid: string): Pod | undefined;
  /** Nothing is left of this pod on the node. */
  forgotten(uid: string): void;
  /** A change of a mirror in the API: the workers know its static pod, and only that. */
  followMirror(change: InformerChange<Pod>): void;
}

export function assembleStaticPods(
  manifests: ManifestSource,
  around: StaticPodsAround,
  options: StaticPodsOptions,
): StaticPodLoops {
  const { client, clock, log, events, informer, statuses } = around;
  // The same file put back is the same uid: what its mirror says of the end of the life before is not about this one.
  const retired = new Set<string>();
  const findMirror = (uid: string) =>
    informer.byIndex("uid", uid).find((pod) => isMirrorPod(pod) && !retired.has(pod.metadata.uid ?? ""));
  const withStatus = (pod: BoundPod): BoundPod => {
    const mirror = findMirror(pod.metadata.uid);
    return mirror?.status ? { ...pod, status: mirror.status } : pod;
  };
  const nodeReference = { apiVersion: "v1", kind: "Node", name: options.nodeName, uid: options.nodeName };
  const staticPods = new StaticPods(
    {
      manifests,
      clock,
      log,
      begin: (pod) => around.workers().update(withStatus(pod)),
      end: (pod) => around.workers().removed(withStatus(pod)),
      waitForApi: (signal) => informer.waitForSync(signal),
      onRefused(path, because) {
        log.warn("manifest not run", { path, because });
        events.record(nodeReference, { type: "Warning", reason: "InvalidStaticPod", message: `${path}: ${because}` });
      },
      onChanged: () => mirrors.hurry(),
    },
    options,
  );
  const mirrors = new MirrorKeeper({
    client,
    clock,
    log,
    stored: () => (informer.synced ? informer.list() : undefined),
    begun: () => staticPods.begun,
    retired,
    node: around.node,
  });
  return {
    pods: staticPods,
    mirrors,
    findMirror,
    forgotten(uid) {
      const mirror = findMirror(uid);
      if (mirror?.metadata.uid !== undefined) retired.add(mirror.metadata.uid);
      staticPods.forgotten(uid);
    },
    followMirror(change) {
      mirrors.hurry();
      if (change.type === "deleted") retired.delete(change.object.metadata.uid ?? "");
      const pod = staticPods.find(runtimeUidOf(change.object));
      if (!pod || findMirror(pod.metadata.uid) !== change.object) return;
      statuses.noticeStored(boundPod(change.object));
      around.workers().remember(withStatus(pod));
    },
  };
}
