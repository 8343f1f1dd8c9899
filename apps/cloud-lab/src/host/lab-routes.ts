import type { Logger } from "@kintsugi/api";
import type { CloudRoute } from "@kintsugi/cloud";
import { runCommand } from "@kintsugi/daemon";

export interface LabRoutesDeps {
  log: Logger;
  /** Runs `ip` on this host, which is the router of its machines. */
  ip?: (args: readonly string[]) => Promise<unknown>;
}

/** The routes of this host by which packets reach the pods of its machines. */
export class LabRoutes {
  readonly #deps: Required<LabRoutesDeps>;
  readonly #link: string;
  readonly #made = new Map<string, CloudRoute>();
  #turn: Promise<void> = Promise.resolve();

  constructor(deps: LabRoutesDeps, { link }: { link: string }) {
    this.#deps = { ip: (args) => runCommand("ip", args), ...deps };
    this.#link = link;
  }

  /** Creates these routes, and removes earlier routes that are no longer needed. */
  apply(wanted: readonly CloudRoute[]): Promise<void> {
    this.#turn = this.#turn.then(() => this.#apply(wanted));
    return this.#turn;
  }

  async #apply(wanted: readonly CloudRoute[]): Promise<void> {
    const byCidr = new Map(wanted.map((route) => [route.cidr, route]));
    for (const [cidr, made] of this.#made) {
      if (byCidr.has(cidr)) continue;
      this.#made.delete(cidr);
      // The address prevents the removal of a later machine's route with the same range.
      await this.#try(["route", "del", cidr, "via", made.address, "dev", this.#link]);
    }
    for (const route of wanted) {
      if (this.#made.get(route.cidr)?.address === route.address) continue;
      if (await this.#try(["route", "replace", route.cidr, "via", route.address, "dev", this.#link]))
        this.#made.set(route.cidr, route);
    }
  }

  /**
   * The routes of a machine that no longer exists were removed with it, so a failure is only
   * logged.
   */
  async #try(args: readonly string[]): Promise<boolean> {
    try {
      await this.#deps.ip(args);
      return true;
    } catch (error) {
      this.#deps.log.debug("a route cannot be changed", { command: args.join(" "), error });
      return false;
    }
  }
}
