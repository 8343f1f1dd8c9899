import { isIP } from "node:net";
import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Loop } from "@kintsugi/daemon";

/** Interval at which server names are resolved. */
const intervalMs = 60_000;

export interface ServerAddressesDeps {
  clock: Clock;
  log: Logger;
  /** The URLs of the servers to which this program connects. */
  urls(): readonly string[];
  /** Resolves with the addresses of a name. */
  resolve(name: string): Promise<readonly string[]>;
}

/**
 * The addresses of the servers that this program needs, which a Service may not use. A name keeps
 * its last addresses while it cannot be resolved.
 */
export class ServerAddresses implements Loop {
  readonly name = "addresses of servers";
  readonly #deps: ServerAddressesDeps;
  readonly #resolved = new Map<string, readonly string[]>();

  constructor(deps: ServerAddressesDeps) {
    this.#deps = deps;
  }

  list(): readonly string[] {
    return this.#hosts().flatMap((host) => (isIP(host) === 0 ? (this.#resolved.get(host) ?? []) : [host]));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    while (!signal.aborted) {
      const names = this.#hosts().filter((host) => isIP(host) === 0);
      for (const name of this.#resolved.keys()) if (!names.includes(name)) this.#resolved.delete(name);
      for (const name of names) {
        const addresses = await this.#deps.resolve(name).catch((error: unknown) => {
          log.warn("server's name cannot be resolved", { name, error });
          return undefined;
        });
        if (addresses !== undefined) this.#resolved.set(name, addresses);
      }
      await clock.sleep(intervalMs, signal).catch(() => {});
    }
  }

  #hosts(): string[] {
    const parsed = this.#deps.urls().flatMap((url) => (URL.canParse(url) ? [new URL(url).hostname] : []));
    return [...new Set(parsed.map((host) => host.replaceAll(/^\[|\]$/g, "")))].filter((host) => host !== "");
  }
}
