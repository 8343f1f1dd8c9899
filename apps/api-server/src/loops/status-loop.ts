import { isApiError, type ResourceType, sameJson } from "@kintsugi/api";
import { Waiter } from "@kintsugi/clock";
import type { CommittedChange } from "@kintsugi/store";
import { serverCall } from "../bootstrap/ensure-objects.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storePrefix, storeResource } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";
import { update } from "../verbs/update.ts";

/** A status that the server itself writes, because only the server can compute its content. */
export interface ServerStatus {
  readonly type: ResourceType;
  /**
   * Changes of these kinds, in addition to the object's own kind, may change the status of each
   * object.
   */
  readonly follows: readonly ResourceType[];
  /**
   * Resolves with the status that the object should have; undefined where the status is unchanged,
   * or the signal has aborted.
   */
  plan(object: KubeObject, signal: AbortSignal): Promise<unknown>;
}

/** Interval after which a write that failed for a reason other than a conflict is retried. */
const retryMs = 5_000;

/**
 * Writes statuses after each change that affects them. Every pass inspects all objects of a kind,
 * because these kinds have few objects, and a pass over unchanged objects does not write.
 */
export class StatusLoop {
  readonly #context: ServerContext;
  /** The statuses that depend on each kind, by the kind's name in the store. */
  readonly #followers = new Map<string, ServerStatus[]>();
  readonly #waiter = new Waiter();
  readonly #due: Set<ServerStatus>;

  constructor(context: ServerContext, statuses: readonly ServerStatus[]) {
    this.#context = context;
    this.#due = new Set(statuses);
    for (const status of statuses) {
      for (const type of [status.type, ...status.follows].map(storeResource)) {
        this.#followers.set(type, [...(this.#followers.get(type) ?? []), status]);
      }
    }
  }

  observe(changes: readonly CommittedChange[]): void {
    for (const { resource } of changes) for (const status of this.#followers.get(resource) ?? []) this.#due.add(status);
    if (this.#due.size > 0) this.#waiter.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#context;
    while (!signal.aborted) {
      const [status] = this.#due;
      if (status === undefined) {
        await this.#waiter.wait(signal);
        continue;
      }
      this.#due.delete(status);
      try {
        await this.#sync(status, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn("status not written", { kind: status.type.kind, error });
        await this.#waiter.waitAtMost(retryMs, clock, signal);
        this.#due.add(status);
      }
    }
  }

  async #sync(status: ServerStatus, signal: AbortSignal): Promise<void> {
    const { type } = status;
    const { store, registry } = this.#context;
    for (const entry of store.list(storePrefix(type, "")).entries) {
      if (signal.aborted) return;
      const object = decodeEntry(entry) as KubeObject & { status?: unknown };
      const next = await status.plan(object, signal);
      if (next === undefined || sameJson(next, object.status ?? {})) continue;
      const call = { method: "PUT", object: { ...object, status: next } as KubeObject, subresource: "status" } as const;
      try {
        await update(this.#context, serverCall(this.#context, registry.get(type), call));
      } catch (error) {
        // A newer object is already due, and an object that no longer exists has no status.
        if (!isApiError(error, "Conflict") && !isApiError(error, "NotFound")) throw error;
      }
    }
  }
}
