import { readFile } from "node:fs/promises";
import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { parseResolvConf } from "@kintsugi/dns";

export interface OtherServersOptions {
  /** The file that names them. */
  resolvConf: string;
  /** The addresses at which names are answered here. */
  own: readonly string[];
}

/** The file is read again after this long: networks change while nodes run. */
const maxAgeMs = 5_000;

/** Lists the servers for names that are not the cluster's, from a file that may change. */
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
   * Lists the servers in the order of the file; the earlier ones while it cannot be read. Never
   * this server itself, which would query itself without end.
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
      log.warn("cannot read who answers other names", { file: resolvConf, error });
    }
    return this.#known;
  }
}
