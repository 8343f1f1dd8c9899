import type { Logger } from "@kintsugi/api";
import { createHttpPool, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { followFiles, type Loop, runService, version } from "@kintsugi/daemon";
import { type HollowConfig, readConfig } from "./config.ts";
import { Fleet } from "./fleet.ts";

/**
 * Calls of all nodes in flight at the same time. Each answer waits for a turn of this process's
 * event loop, which many pods that start make long.
 */
const callsMax = 64;
/**
 * A busy server works on all connections in turns: so it has more of heartbeats, which 5,000 nodes
 * send 500 a second of, than of all others.
 */
const urgentCallsMax = 256;

void runService({ name: "hollow", isStartedByHand: true, configure: readConfig, start });

function start(config: HollowConfig, log: Logger): Promise<readonly Loop[]> {
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
