import { isMirrorPod, type Pod } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import type { Mirrors } from "./mirrors.ts";
import type { StaticPods } from "./static-pods.ts";

/** The pods of this node by the uid that the runtime knows them by, as the API has them. */
export class StoredPods {
  readonly #pods: Pick<Informer<Pod>, "byIndex" | "list">;
  readonly #mirrors: Mirrors | undefined;

  /** @param mirrors undefined on a node without manifests. */
  constructor(pods: Pick<Informer<Pod>, "byIndex" | "list">, mirrors: Mirrors | undefined) {
    this.#pods = pods;
    this.#mirrors = mirrors;
  }

  /** The newest copy of a pod that is at hand; of a static pod, its mirror. */
  find(uid: string): Pod | undefined {
    return this.#mirrors?.find(uid) ?? this.#pods.byIndex("uid", uid).find((pod) => !isMirrorPod(pod));
  }

  list(): readonly Pod[] {
    return this.#pods.list();
  }
}

/** The pods that this node is to run, from the API and from manifests: all else that it has may be removed. */
export class KnownPods {
  readonly #stored: Pick<Informer<Pod>, "byIndex" | "synced">;
  readonly #static: Pick<StaticPods, "find" | "hasRead"> | undefined;

  constructor(
    stored: Pick<Informer<Pod>, "byIndex" | "synced">,
    staticPods: Pick<StaticPods, "find" | "hasRead"> | undefined,
  ) {
    this.#stored = stored;
    this.#static = staticPods;
  }

  /** A mirror says that a static pod was known, not that it still is. */
  has(uid: string): boolean {
    return this.#stored.byIndex("uid", uid).some((pod) => !isMirrorPod(pod)) || this.#static?.find(uid) !== undefined;
  }

  /** True once both sources have been read: before, no pod counts as unknown. */
  get synced(): boolean {
    return this.#stored.synced && this.#static?.hasRead !== false;
  }
}
