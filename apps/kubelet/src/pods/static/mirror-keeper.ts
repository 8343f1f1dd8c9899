import { isApiError, type Logger, type Node, type Pod, pods } from "@kintsugi/api";
import type { Client, Informer } from "@kintsugi/client";
import { AutoResetEvent, type Clock } from "@kintsugi/clock";
import type { BoundPod } from "../../model/bound-pod.ts";
import type { Mirrors } from "./mirrors.ts";
import { type MirrorAction, mirrorOf, planMirrors } from "./plan-static-pods.ts";
import type { StaticPodRecord } from "./static-pod-record.ts";

/** The time until the next try after a rejection, and the interval without events. */
const retryMs = 10_000;

export interface MirrorKeeperDeps {
  client: Pick<Client, "create" | "delete">;
  clock: Clock;
  log: Logger;
  /** The pods of this node in the API. */
  stored: Pick<Informer<Pod>, "synced" | "list">;
  record: Pick<StaticPodRecord, "begun">;
  mirrors: Pick<Mirrors, "retired">;
  /** The Node object of this node, which owns the mirrors. */
  ownNode: { readonly node: Node | undefined };
}

/**
 * Creates mirrors of this node's static pods in the API, and restores mirrors that clients changed.
 */
export class MirrorKeeper {
  readonly #deps: MirrorKeeperDeps;
  readonly #wakeUp: AutoResetEvent;

  constructor(deps: MirrorKeeperDeps) {
    this.#deps = deps;
    this.#wakeUp = new AutoResetEvent(deps.clock);
  }

  /** Called when a static pod, or a mirror, has changed. */
  hurry(): void {
    this.#wakeUp.set();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { stored, record, mirrors } = this.#deps;
      if (stored.synced)
        for (const action of planMirrors(record.begun, stored.list(), mirrors.retired))
          await this.#perform(action, signal);
      await this.#wakeUp.wait(retryMs, signal);
    }
  }

  async #perform(action: MirrorAction, signal: AbortSignal): Promise<void> {
    try {
      if (action.kind === "create") await this.#create(action.pod, signal);
      else await this.#delete(action.mirror, signal);
    } catch (error) {
      if (signal.aborted) return;
      const { namespace, name } = action.kind === "create" ? action.pod.metadata : action.mirror.metadata;
      this.#deps.log.warn("mirror pod not written", { pod: `${namespace}/${name}`, action: action.kind, error });
    }
  }

  async #create(pod: BoundPod, signal: AbortSignal): Promise<void> {
    const { name, uid } = this.#deps.ownNode.node?.metadata ?? {};
    if (name === undefined || uid === undefined) return;
    await this.#deps.client.create(pods, mirrorOf(pod, { name, uid }), { signal });
  }

  async #delete({ metadata }: Pod, signal: AbortSignal): Promise<void> {
    const key = { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
    const preconditions = metadata.uid === undefined ? {} : { uid: metadata.uid };
    try {
      await this.#deps.client.delete(pods, key, { gracePeriodSeconds: 0, preconditions, signal });
    } catch (error) {
      // The mirror was removed, or replaced by another pod of that name, which the next pass
      // detects.
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
    }
  }
}
