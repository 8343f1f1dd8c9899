import { type ApiError, tooManyRequests } from "@kintsugi/api";
import type { RequestInfo } from "../request/request-info.ts";
import type { Registry } from "../resources/registry.ts";
import { isLongRunning } from "./long-running.ts";

/**
 * The class of a request's load. Reads and writes are limited, and exempt requests must never wait
 * behind them.
 */
export type LoadClass = "readOnly" | "mutating" | "exempt";

/**
 * Exempt are watches, logs and streams to containers, which last long; health checks, which must be
 * answered under load; and kinds that keep nodes and leaders alive.
 */
export function loadClassOf(info: RequestInfo, registry: Pick<Registry, "find">): LoadClass {
  if (!info.isResource || isLongRunning(info)) return "exempt";
  const resource = registry.find(info.group, info.version, info.resource);
  if (resource?.kind.exceptions.keepsAlive === true) return "exempt";
  return info.verb === "get" || info.verb === "list" ? "readOnly" : "mutating";
}

/**
 * Counts concurrent requests, and rejects requests beyond the limits instead of queueing them,
 * because clients retry.
 */
export class InFlightLimit {
  readonly #max: Readonly<Record<LoadClass, number>>;
  readonly #now: Record<LoadClass, number> = { readOnly: 0, mutating: 0, exempt: 0 };

  constructor(options: { readsInFlightMax: number; writesInFlightMax: number }) {
    this.#max = { readOnly: options.readsInFlightMax, mutating: options.writesInFlightMax, exempt: Infinity };
  }

  /** Returns the rejection when there is no room. Otherwise the request counts until `leave`. */
  enter(load: LoadClass): ApiError | undefined {
    if (this.#now[load] >= this.#max[load]) return tooManyRequests();
    this.#now[load]++;
    return undefined;
  }

  leave(load: LoadClass): void {
    this.#now[load]--;
  }

  count(load: LoadClass): number {
    return this.#now[load];
  }
}
