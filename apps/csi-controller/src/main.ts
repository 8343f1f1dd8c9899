import type { Logger } from "@kintsugi/api";
import { createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createCsiClient } from "@kintsugi/csi";
import {
  candidateOf,
  createHealthServer,
  createMetrics,
  followFiles,
  type Loop,
  runService,
  version,
} from "@kintsugi/daemon";
import { type CsiControllerConfig, readConfig } from "./config.ts";
import { runCsiControllers } from "./csi-controllers.ts";

void runService({ name: "csi-controller", configure: readConfig, start });

async function start(config: CsiControllerConfig, log: Logger): Promise<readonly Loop[]> {
  const [clock, random, metrics] = [systemClock, systemRandom, createMetrics()];
  const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
  const client = createHttpClient(
    { clock, random, metrics },
    { ...access, credentials, userAgent: `kintsugi-csi-controller/v${version}` },
  );
  const { csiAddress: endpoint, callTimeoutMs, leaderElection } = config;
  const driver = createCsiClient({ clock }, { endpoint, callTimeoutMs });
  const options = {
    leaderElection: candidateOf(leaderElection, random),
  };
  const health = createHealthServer({ clock, log, metrics, checks: { ping: () => {} } }, config.health);
  return [
    health,
    followFiles({ clock, log }, followed),
    {
      name: "csi-controller",
      run: (signal) => runCsiControllers({ client, clock, random, log, metrics, driver }, options, signal),
    },
  ];
}
