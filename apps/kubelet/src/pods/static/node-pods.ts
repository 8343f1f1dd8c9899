import { isMirrorPod, type Pod } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import type { Mirrors } from "./mirrors.ts";
import type { StaticPodRecord } from "./static-pod-record.ts";
import type { StaticPods } from "./static-pods.ts";

/** The static pods of this node, and their mirrors as the API has them. */
export interface StaticPodsOfNode {
  readonly record: StaticPodRecord;
  readonly mirrors: Mirrors;
}

/** The pods of this node by the uid that the runtime knows them by, as the API has them. */
export class StoredPods {
  readonly #pods: Pick<Informer<Pod>, "byIndex" | "list">;
  readonly #static: StaticPodsOfNode;

  constructor(pods: Pick<Informer<Pod>, "byIndex" | "list">, staticPods: StaticPodsOfNode) {
    this.#pods = pods;
    this.#static = staticPods;
  }

  /** The newest copy of a pod that is at hand; of a static pod, its mirror. */
  find(uid: string): Pod | undefined {
    return this.#static.mirrors.find(uid) ?? this.#pods.byIndex("uid", uid).find((pod) => !isMirrorPod(pod));
  }

  list(): readonly Pod[] {
    return this.#pods.list();
  }

  /**
   * The uid under which the runtime has a pod of the API, by the node's own record: a mirror's is
   * that of its static pod.
   */
  runtimeUidOf(pod: Pod): string {
    return this.#static.record.findShownBy(pod)?.metadata.uid ?? pod.metadata.uid ?? "";
  }
}

/**
 * The pods that this node is to run, from the API and from manifests: all else that it has may be
 * removed.
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

  /** A mirror proves that a static pod was known, not that it still is. */
  has(uid: string): boolean {
    return this.#stored.byIndex("uid", uid).some((pod) => !isMirrorPod(pod)) || this.#record.find(uid) !== undefined;
  }

  /** True once both sources have been read: before, no pod counts as unknown. */
  get synced(): boolean {
    return this.#stored.synced && this.#static?.hasRead !== false;
  }
}
