import {
  type ApiObject,
  type ConfigMap,
  configMaps,
  type Logger,
  type ResourceType,
  type Secret,
  secrets,
} from "@kintsugi/api";
import { createInformer, type Informer, type InformerDeps } from "@kintsugi/client";
import { onAbort, untilAborted } from "@kintsugi/clock";
import type { WakeUps } from "../../base/wake-ups.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import { type ConfigReference, referenceKey, volumeReferences } from "./config-references.ts";
import type { ConfigSource } from "./config-source.ts";

/**
 * Limit of objects that are watched concurrently, because each is a connection. Further objects are
 * read at each sync of their pods.
 */
const watchesMax = 500;

export interface WatchedConfigDeps extends Omit<InformerDeps, "changes"> {
  /** Reads objects that are not watched, or not yet. */
  configSource: ConfigSource;
  log: Logger;
  /** Wakes a pod whose volume no longer shows the API's contents. */
  wakeUps: Pick<WakeUps, "wake">;
  /** Default: `createInformer`. */
  makeInformer?: typeof createInformer | undefined;
}

interface Followed {
  readonly reference: ConfigReference;
  readonly uids: Set<string>;
  informer: Informer<ApiObject>;
  stop: AbortController;
  /**
   * The resourceVersion that was returned last, or "" when there was no object. Undefined before
   * the first read.
   */
  given: string | undefined;
}

/**
 * The ConfigMaps and Secrets in the volumes of this node's pods. Each has its own watch while a pod
 * uses it.
 */
export class WatchedConfig implements ConfigSource {
  readonly #deps: WatchedConfigDeps;
  readonly #followed = new Map<string, Followed>();
  readonly #pods = new Set<string>();
  #signal: AbortSignal | undefined;

  constructor(deps: WatchedConfigDeps) {
    this.#deps = deps;
  }

  /** Begins to watch the objects in the pod's volumes. May be repeated. */
  follow(pod: BoundPod): void {
    const { uid } = pod.metadata;
    if (this.#pods.has(uid)) return;
    this.#pods.add(uid);
    for (const reference of volumeReferences(pod)) this.#add(reference, uid);
  }

  forget(uid: string): void {
    if (!this.#pods.delete(uid)) return;
    for (const [key, followed] of this.#followed) {
      if (!followed.uids.delete(uid) || followed.uids.size > 0) continue;
      followed.stop.abort(new Error("no pod uses it"));
      this.#followed.delete(key);
    }
  }

  findConfigMap(namespace: string, name: string): Promise<ConfigMap | undefined> {
    const reference = { resource: "configmaps", namespace, name } as const;
    return this.#find(reference, () => this.#deps.configSource.findConfigMap(namespace, name));
  }

  findSecret(namespace: string, name: string): Promise<Secret | undefined> {
    const reference = { resource: "secrets", namespace, name } as const;
    return this.#find(reference, () => this.#deps.configSource.findSecret(namespace, name));
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const followed of this.#followed.values()) this.#start(followed);
    await untilAborted(signal);
  }

  /**
   * An object that is missing in the copy may have been created a moment ago. Only the server can
   * confirm that it does not exist.
   */
  async #find<T extends ConfigMap | Secret>(
    reference: ConfigReference,
    read: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const followed = this.#followed.get(referenceKey(reference));
    const found = (followed?.informer.find(reference) as T | undefined) ?? (await read());
    if (followed) followed.given = found?.metadata.resourceVersion ?? "";
    return found;
  }

  #add(reference: ConfigReference, uid: string): void {
    const key = referenceKey(reference);
    const known = this.#followed.get(key);
    if (known) {
      known.uids.add(uid);
      return;
    }
    if (this.#followed.size >= watchesMax) return;
    const { namespace, name } = reference;
    const type = (reference.resource === "secrets" ? secrets : configMaps) as unknown as ResourceType<ApiObject>;
    const { client, clock, random, log, makeInformer = createInformer } = this.#deps;
    const informer = makeInformer({ client, clock, random, log }, { type, namespace, name });
    const followed: Followed = {
      reference,
      uids: new Set([uid]),
      informer,
      stop: new AbortController(),
      given: undefined,
    };
    informer.onChange((change) => {
      const now = change.type === "deleted" ? "" : change.object.metadata.resourceVersion;
      if (followed.given !== undefined && now !== followed.given)
        for (const each of followed.uids) this.#deps.wakeUps.wake(each);
    });
    this.#followed.set(key, followed);
    this.#start(followed);
  }

  #start({ reference, informer, stop }: Followed): void {
    const signal = this.#signal;
    if (!signal || signal.aborted) return;
    const stopListening = onAbort(signal, () => stop.abort(signal.reason));
    void informer
      .run(stop.signal)
      .catch((error: unknown) => {
        if (stop.signal.aborted) return;
        // The object is read again at each sync of its pods after its watch has ended.
        this.#followed.delete(referenceKey(reference));
        this.#deps.log.error("watch ended", { reference: referenceKey(reference), error });
      })
      .finally(stopListening);
  }
}
