import type { ResourceType } from "@kintsugi/api";
import { type Client, TypeDiscovery } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";

/** The served kinds are read again after this time, as by upstream's mapper. */
const maxAgeMs = 30_000;
/**
 * An unknown kind may just have been added, but references to kinds that do not exist must not
 * cause a request each.
 */
const minAgeMs = 5000;

export interface DiscoveredKindsDeps {
  client: Pick<Client, "call">;
  clock: Clock;
}

/** Finds the served kinds that objects refer to by group and kind. */
export class DiscoveredKinds {
  readonly #deps: DiscoveredKindsDeps;
  readonly #discovery: TypeDiscovery;
  #types: readonly ResourceType[] = [];
  #discoveredAtMs = -Infinity;

  constructor(deps: DiscoveredKindsDeps) {
    this.#deps = deps;
    this.#discovery = new TypeDiscovery(deps.client);
  }

  async find(group: string, kind: string, signal: AbortSignal): Promise<ResourceType | undefined> {
    const found = () => this.#types.find((type) => type.group === group && type.kind === kind);
    const ageMs = this.#deps.clock.monotonicMs() - this.#discoveredAtMs;
    if (ageMs > maxAgeMs || (found() === undefined && ageMs > minAgeMs)) {
      const { types } = await this.#discovery.read(signal);
      this.#types = types;
      this.#discoveredAtMs = this.#deps.clock.monotonicMs();
    }
    return found();
  }
}
