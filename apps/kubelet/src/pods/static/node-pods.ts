import { isMirrorPod, type Pod } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import type { Mirrors } from "./mirrors.ts";
import type { StaticPodRecord } from "./static-pod-record.ts";
import type { StaticPods } from "./static-pods.ts";

/** The static pods of this node, and their mirrors in the API. */
export interface StaticPodsOfNode {
  readonly record: StaticPodRecord;
  readonly mirrors: Mirrors;
}

/** The pods of this node in the API, by their uid in the runtime. */
export class StoredPods {
  readonly #pods: Pick<Informer<Pod>, "byIndex" | "list">;
  readonly #static: StaticPodsOfNode;

  constructor(pods: Pick<Informer<Pod>, "byIndex" | "list">, staticPods: StaticPodsOfNode) {
    this.#pods = pods;
    this.#static = staticPods;
  }

  /** The newest available copy of a pod; for a static pod, its mirror. */
  find(uid: string): Pod | undefined {
    return this.#static.mirrors.find(uid) ?? this.#pods.byIndex("uid", uid).find((pod) => !isMirrorPod(pod));
  }

  list(): readonly Pod[] {
    return this.#pods.list();
  }

  /**
   * The uid by which the runtime identifies a pod of the API, by the node's own record. For a
   * mirror pod it is the static pod's uid.
   */
  runtimeUidOf(pod: Pod): string {
    return this.#static.record.findShownBy(pod)?.metadata.uid ?? pod.metadata.uid ?? "";
  }
}

/**
 * The pods that this node has to run, from the API and from manifests. All other pods on the node
 * may be removed.
 */
export class KnownPods {
  readonly #stored: Pick<Informer<Pod>, "byIndex" | "synced">;
  readonly #record: Pick<StaticPodRecord, "find">;
  readonly #static: Pick<StaticPods, "hasRead"> | undefined;

  /** @param staticPods undefined on a node without manifests. */
  constructor(
    stored: Pick<Informer<Pod>, "byIndex" | "synced">,
    record: Pick<StaticPodRecord, "find">,
    staticPods: Pick<StaticPods, "hasRead"> | undefined,
  ) {
    this.#stored = stored;
    this.#record = record;
    this.#static = staticPods;
  }

  /** A mirror proves that a static pod existed, not that it still exists. */
  has(uid: string): boolean {
    return this.#stored.byIndex("uid", uid).some((pod) => !isMirrorPod(pod)) || this.#record.find(uid) !== undefined;
  }

  /** True after both sources have been read; until then, no pod counts as unknown. */
  get synced(): boolean {
    return this.#stored.synced && this.#static?.hasRead !== false;
  }
}
