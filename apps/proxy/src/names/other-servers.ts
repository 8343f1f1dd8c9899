import { readFile } from "node:fs/promises";
import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { parseResolvConf } from "@kintsugi/daemon";

export interface OtherServersOptions {
  /** The file with their addresses. */
  resolvConf: string;
  /** The addresses at which this server answers queries. */
  own: readonly string[];
}

/** Interval after which the file is read again, because networks change while nodes run. */
const maxAgeMs = 5_000;

/** Lists the servers for names outside the cluster, from a file that may change. */
export class OtherServers {
  readonly #deps: { clock: Clock; log: Logger };
  readonly #options: OtherServersOptions;
  #known: readonly string[] = [];
  #readAtMs: number | undefined;

  constructor(deps: { clock: Clock; log: Logger }, options: OtherServersOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * Lists the servers in the order of the file; the servers of the last successful read while the
   * file cannot be read. The list never contains this server itself, because the server would query
   * itself without end.
   */
  async list(): Promise<readonly string[]> {
    const { clock, log } = this.#deps;
    const { resolvConf, own } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#readAtMs !== undefined && nowMs - this.#readAtMs < maxAgeMs) return this.#known;
    this.#readAtMs = nowMs;
    try {
      const { servers } = parseResolvConf(await readFile(resolvConf, "utf8"));
      this.#known = servers.filter((server) => !own.includes(server));
    } catch (error) {
      log.warn("cannot read the upstream name servers", { file: resolvConf, error });
    }
    return this.#known;
  }
}
