import type { Logger } from "@kintsugi/api";
import { createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createCloudClient } from "@kintsugi/cloud";
import { candidateOf, createHealthServer, createMetrics, followFiles, type Loop, runService } from "@kintsugi/daemon";
import { runCloudControllers } from "./cloud-controllers.ts";
import { type CloudControllerManagerConfig, readConfig } from "./config.ts";

void runService({ name: "cloud-controller-manager", configure: readConfig, start });

async function start(config: CloudControllerManagerConfig, log: Logger): Promise<readonly Loop[]> {
  const [clock, random, metrics] = [systemClock, systemRandom, createMetrics()];
  const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
  const client = createHttpClient(
    { clock, random, metrics },
    { ...access, credentials, userAgent: "kintsugi-cloud-controller-manager/v0.1.0" },
  );
  const { cloudSocket: socket, callTimeoutMs, leaderElection, timers, routes } = config;
  const cloud = createCloudClient({ socket, callTimeoutMs });
  const options = {
    timers,
    routes,
    leaderElection: candidateOf(leaderElection, random),
  };
  const health = createHealthServer({ clock, log, metrics, checks: { ping: () => {} } }, config.health);
  return [
    health,
    followFiles({ clock, log }, followed),
    {
      name: "cloud-controllers",
      run: (signal) => runCloudControllers({ client, clock, random, log, metrics, cloud }, options, signal),
    },
  ];
}
