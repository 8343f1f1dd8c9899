import type { Logger, Metrics } from "@kintsugi/api";
import { createInProcessClient } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import type { Handle } from "../http/api-request.ts";
import type { AdvertisedAddress } from "../server-options.ts";
import type { ServerContext } from "../server-context.ts";
import { runAsOne } from "./run-as-one.ts";
import type { LoopBody } from "./run-loops.ts";
import { ServerLeases } from "./server-leases.ts";

export interface AmongServersDeps {
  context: ServerContext;
  handle: Handle;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  /**
   * Called when this server becomes, and ceases to be, the leader for work that only one server
   * does.
   */
  onLeading(isLeading: boolean): void;
}

export interface AmongServersOptions {
  hostname: string;
  advertised: AdvertisedAddress | undefined;
  /** Makes the loops that run on one of the servers, given the addresses of all servers. */
  singles(servers: () => readonly AdvertisedAddress[]): readonly LoopBody[];
}

/** Upstream's interval of checks for Leases of servers that have ended. */
const abandonedIntervalMs = 60 * 60_000;

/** The loops of a server that shares its objects with other servers. */
export function amongServers(deps: AmongServersDeps, options: AmongServersOptions): LoopBody[] {
  const { context, clock, random } = deps;
  const run = random.uuid();
  const client = createInProcessClient(
    { handler: { handle: deps.handle }, clock, random },
    { identity: { name: "system:apiserver", groups: ["system:masters"] }, userAgent: "kintsugi-api-server" },
  );
  const leases = new ServerLeases({ context, client }, { ...options, run });
  const loops: LoopBody[] = [
    async (stop) => {
      deps.onLeading(true);
      while (!stop.aborted) {
        await clock.sleep(abandonedIntervalMs, stop).catch(() => {});
        if (!stop.aborted) await leases.deleteAbandoned();
      }
      deps.onLeading(false);
    },
    ...options.singles(() => leases.advertised()),
  ];
  return [
    (stop) => leases.run(stop),
    (stop) => runAsOne({ ...deps, client }, { identity: `${options.hostname}_${run}`, loops }, stop),
  ];
}
