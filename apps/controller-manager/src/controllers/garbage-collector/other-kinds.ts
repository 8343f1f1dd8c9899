import type { ApiObject, ChangeStream, Logger, ResourceType } from "@kintsugi/api";
import {
  type Client,
  createInformer,
  type DiscoveredType,
  type Discovery,
  TypeDiscovery,
  type InformerChange,
} from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import type { Watch } from "@kintsugi/controller";

/** Interval between two reads of the API server's discovery, as in upstream's garbage collector. */
const discoveryIntervalMs = 30_000;
/**
 * Maximum number of kinds: each costs a subscription or a watch, and a copy of the metadata of its
 * objects.
 */
const kindsMax = 1000;
/** A kind needs these verbs to be followed and collected. */
const neededVerbs = ["list", "watch", "delete", "patch"];

export interface OtherKindsDeps {
  client: Client;
  clock: Clock;
  random: Random;
  /**
   * The bus does not have messages about the kinds of other servers, which are followed by watches
   * instead.
   */
  changes?: ChangeStream | undefined;
  log: Logger;
}

/** Each function returns the keys to wake. */
export interface OtherKindsRules {
  /** Reports whether a kind is followed by another informer, or must not be followed. */
  isKnown: (type: ResourceType) => boolean;
  /** Called with each change of an object, which contains only metadata. */
  onChange: (type: ResourceType, change: InformerChange<ApiObject>) => Iterable<string>;
  /** Called when a kind is newly served, once all of its objects have been reported. */
  onServed: (type: ResourceType) => Iterable<string>;
  /** Called when a kind is no longer served. */
  onGone: (type: ResourceType) => void;
}

/**
 * Follows the served kinds that this program does not read otherwise. Such kinds are added and
 * removed while it runs. They are found by discovery, and only the metadata of their objects is
 * read.
 */
export class OtherKinds implements Watch {
  readonly #deps: OtherKindsDeps;
  readonly #rules: OtherKindsRules;
  #wake: (keys: Iterable<string>) => void = () => {};
  readonly #followed = new Map<string, { type: ResourceType; stop: AbortController }>();

  constructor(deps: OtherKindsDeps, rules: OtherKindsRules) {
    this.#deps = deps;
    this.#rules = rules;
  }

  follow(_informers: unknown, queue: Parameters<Watch["follow"]>[1]): () => void {
    const stop = new AbortController();
    this.#wake = (keys) => {
      for (const key of keys) queue.enqueue(key);
    };
    void this.#run(stop.signal);
    return () => stop.abort(new Error("the controller has stopped"));
  }

  /** The kinds that are followed at present. */
  types(): ResourceType[] {
    return [...this.#followed.values()].map(({ type }) => type);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { client, clock, log } = this.#deps;
    const discovery = new TypeDiscovery(client);
    let taken: Discovery | undefined;
    while (!signal.aborted) {
      try {
        const served = await discovery.read(signal);
        if (served !== taken) this.#take(served, signal);
        taken = served;
      } catch (error) {
        if (!signal.aborted) log.warn("cannot discover what is served", { error });
      }
      await clock.sleep(discoveryIntervalMs, signal, "routine").catch(() => {});
    }
  }

  #take({ types, unknownGroups }: Discovery, signal: AbortSignal): void {
    const served = new Map(types.filter((type) => this.#isOfUse(type)).map((type) => [nameOf(type), type]));
    for (const [name, { type, stop }] of this.#followed) {
      // A group whose server is unavailable has not lost its kinds.
      if (served.has(name) || unknownGroups.includes(type.group)) continue;
      this.#followed.delete(name);
      stop.abort(new Error("the kind is no longer served"));
      this.#rules.onGone(type);
    }
    for (const [name, type] of served) if (!this.#followed.has(name)) this.#follow(name, type, signal);
  }

  #isOfUse(type: DiscoveredType): boolean {
    return neededVerbs.every((verb) => type.verbs.includes(verb)) && !this.#rules.isKnown(type);
  }

  #follow(name: string, type: ResourceType, signal: AbortSignal): void {
    const { log } = this.#deps;
    const { onChange, onServed } = this.#rules;
    if (this.#followed.size >= kindsMax) {
      log.warn("too many kinds are served to watch this kind", { kind: name, max: kindsMax });
      return;
    }
    const stop = new AbortController();
    const until = AbortSignal.any([signal, stop.signal]);
    const informer = createInformer(this.#deps, { type, metadataOnly: true });
    informer.onChange((change) => {
      if (!until.aborted) this.#wake(onChange(type, change));
    });
    this.#followed.set(name, { type, stop });
    informer.run(until).catch((error: unknown) => log.error("cannot follow a kind", { kind: name, error }));
    void informer.waitForSync(until).then(
      () => this.#wake(onServed(type)),
      () => {},
    );
  }
}

/** A kind with a new version is followed again. */
function nameOf({ group, version, resource }: ResourceType): string {
  return `${group}/${version}/${resource}`;
}
