import { Waiter } from "@kintsugi/clock";
import { apiServices } from "@kintsugi/api";
import type { CommittedChange } from "@kintsugi/store";
import { ensureObject } from "../bootstrap/ensure-objects.ts";
import { decodeEntry, encodeObject } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";
import { localServices, managedLabel } from "./local-services.ts";
import type { ApiServiceDirectory } from "./service-directory.ts";

/** Interval after which a failed write is retried. */
const retryMs = 5_000;

/**
 * An installation of metrics-server replaces the local APIService of this group. The local
 * APIService is restored when the installation's APIService is deleted.
 */
const replaceableGroup = "metrics.k8s.io";

/**
 * Maintains the APIServices of custom kinds: one for each version that is served, removed when the
 * version is no longer served. An APIService that a client registered for another server is
 * unchanged.
 */
export class RegistrationLoop {
  readonly #context: ServerContext;
  readonly #directory: ApiServiceDirectory;
  #seen = 0;
  readonly #waiter = new Waiter();

  constructor(context: ServerContext, directory: ApiServiceDirectory) {
    this.#context = context;
    this.#directory = directory;
  }

  /** Wakes the loop where the served kinds have changed, or an APIService no longer exists. */
  observe(_changes: readonly CommittedChange[], changedServices: readonly string[]): void {
    const isGone = changedServices.some((name) => !this.#directory.has(name));
    if (isGone || this.#seen !== this.#context.registry.generation) this.#waiter.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#seen = this.#context.registry.generation;
      const isDone = await this.#sync(signal);
      if (signal.aborted || this.#seen !== this.#context.registry.generation) continue;
      if (isDone) await this.#waiter.wait(signal);
      else await this.#waiter.waitAtMost(retryMs, this.#context.clock, signal);
    }
  }

  async #sync(signal: AbortSignal): Promise<boolean> {
    try {
      const kept = this.#context.registry.served.filter(
        ({ isCustom, type }) => isCustom || type.group === replaceableGroup,
      );
      const wanted = new Map(localServices(kept).map((service) => [service.metadata.name ?? "", service]));
      for (const [name, service] of wanted) {
        if (signal.aborted) return true;
        if (!this.#directory.has(name)) await ensureObject(this.#context, service as unknown as KubeObject);
      }
      for (const name of this.#directory.managed("true")) {
        if (!wanted.has(name) && !signal.aborted) await this.#delete(name);
      }
      return true;
    } catch (error) {
      if (!signal.aborted) this.#context.log.warn("failed to reconcile the APIServices of custom resources", { error });
      return false;
    }
  }

  async #delete(name: string): Promise<void> {
    await this.#context.store.update(storeKey(apiServices, "", name), (current) => {
      if (current === undefined) return { keep: true, result: undefined };
      const object = decodeEntry(current);
      // A client may have replaced the APIService.
      if (object.metadata.labels?.[managedLabel] !== "true") return { keep: true, result: undefined };
      return { delete: encodeObject(object), index: current.index, result: undefined };
    });
  }
}
