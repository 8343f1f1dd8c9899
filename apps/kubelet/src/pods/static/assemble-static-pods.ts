import type { Logger, Node, Pod } from "@kintsugi/api";
import type { Client, Informer, InformerChange } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { BoundPod } from "../../model/bound-pod.ts";
import { type EventSink, nodeReference } from "../../model/pod-events.ts";
import type { StatusWriter } from "../status/status-writer.ts";
import type { PodWorkers } from "../work/pod-workers.ts";
import type { ManifestSource } from "./manifest-source.ts";
import { MirrorKeeper } from "./mirror-keeper.ts";
import type { StaticPodsOfNode } from "./node-pods.ts";
import { StaticPods, type StaticPodsOptions } from "./static-pods.ts";

export interface StaticPodLoopsDeps extends StaticPodsOfNode {
  client: Client;
  clock: Clock;
  log: Logger;
  manifests: ManifestSource;
  nodeEvents: EventSink;
  /** The pods of this node in the API. */
  stored: Informer<Pod>;
  statuses: Pick<StatusWriter, "noticeStored">;
  workers: Pick<PodWorkers, "update" | "remember" | "removed" | "onForgotten">;
  ownNode: { readonly node: Node | undefined };
}

/** The static pods of a node with their mirrors, which connect the workers and the API. */
export interface StaticPodLoops {
  pods: StaticPods;
  mirrors: MirrorKeeper;
  /** Follows a change of a mirror in the API. The workers have only its static pod. */
  followMirror(change: InformerChange<Pod>): void;
}

export function assembleStaticPods(deps: StaticPodLoopsDeps, options: StaticPodsOptions): StaticPodLoops {
  const { clock, log, manifests, nodeEvents, stored, record, mirrors, statuses, workers } = deps;
  const withStatus = (pod: BoundPod): BoundPod => {
    const mirror = mirrors.find(pod.metadata.uid);
    return mirror?.status ? { ...pod, status: mirror.status } : pod;
  };
  const staticPods = new StaticPods(
    {
      manifests,
      clock,
      log,
      record,
      begin: (pod) => workers.update(withStatus(pod)),
      end: (pod) => workers.removed(withStatus(pod)),
      waitForApi: (signal) => stored.waitForSync(signal),
      onRefused(path, because) {
        log.warn("manifest not run", { path, because });
        const message = `${path}: ${because}`;
        nodeEvents.record(nodeReference(options.nodeName), { type: "Warning", reason: "InvalidStaticPod", message });
      },
    },
    options,
  );
  const keeper = new MirrorKeeper(deps);
  staticPods.onChanged(() => keeper.hurry());
  workers.onForgotten((uid) => {
    mirrors.retire(uid);
    staticPods.forgotten(uid);
  });
  return {
    pods: staticPods,
    mirrors: keeper,
    followMirror(change) {
      keeper.hurry();
      if (change.type === "deleted") mirrors.forget(change.object);
      const pod = record.findShownBy(change.object);
      if (!pod || mirrors.find(pod.metadata.uid) !== change.object) return;
      statuses.noticeStored(pod.metadata.uid, change.object);
      workers.remember(withStatus(pod));
    },
  };
}
