import { hollowNodesMax, type Logger } from "@kintsugi/api";
import { createHttpPool, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { defineService, flag, followFiles, type Loop, logLevels, version } from "@kintsugi/daemon";
import { Fleet, type FleetOptions } from "./fleet.ts";
import { fleetConfig, fleetFlags } from "./fleet-flags.ts";

/**
 * Limit of concurrent calls of all nodes. Each answer waits for a turn of this process's event
 * loop, which takes long while many pods start.
 */
const callsMax = 64;
/**
 * A busy server serves all connections in turn, so there are more connections for heartbeats, of
 * which 5,000 nodes send 500 a second, than for all other requests.
 */
const urgentCallsMax = 256;

const options = {
  kubeconfig: flag.path({
    help: "Kubeconfig with the API server's address and credentials that may impersonate nodes",
    required: true,
  }),
  nodes: flag.count({ min: 1, max: hollowNodesMax, help: "Number of nodes", required: true }),
  ...fleetFlags,
  impersonate: flag.boolean({
    help: "Impersonate system:node:NAME in each node's requests; otherwise all requests have the credentials' own user",
    fallback: true,
  }),
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "warn" }),
} as const;

export const program = defineService({
  name: "hollow",
  command: "kintsugi hollow",
  description: "Runs many nodes in one process: real kubelets whose containers do not exist.",
  isStartedByHand: true,
  options,
  read: (flags) => ({ ...fleetConfig(flags), kubeconfig: flags.kubeconfig, impersonate: flags.impersonate }),
  start,
});

function start(config: FleetOptions & { kubeconfig: string }, log: Logger): Promise<readonly Loop[]> {
  const [clock, random] = [systemClock, systemRandom];
  const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
  const pool = createHttpPool(
    { clock, random },
    { ...access, credentials, userAgent: `kintsugi-hollow/v${version}`, callsMax, urgentCallsMax },
  );
  const fleet = new Fleet({ pool, clock, random, log }, config);
  return Promise.resolve([
    followFiles({ clock, log }, followed),
    { name: "hollow nodes", run: (signal) => fleet.run(signal).finally(() => pool.close()) },
  ]);
}
