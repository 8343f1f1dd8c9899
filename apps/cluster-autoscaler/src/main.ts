import type { Logger } from "@kintsugi/api";
import { createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createCloudClient } from "@kintsugi/cloud";
import {
  candidateOf,
  createHealthServer,
  createMetrics,
  followFiles,
  type Loop,
  runService,
  version,
} from "@kintsugi/daemon";
import { runClusterAutoscaler } from "./cluster-autoscaler.ts";
import { type ClusterAutoscalerConfig, readConfig } from "./config.ts";

void runService({ name: "cluster-autoscaler", configure: readConfig, start });

async function start(config: ClusterAutoscalerConfig, log: Logger): Promise<readonly Loop[]> {
  const [clock, random, metrics] = [systemClock, systemRandom, createMetrics()];
  const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
  const client = createHttpClient(
    { clock, random, metrics },
    { ...access, credentials, userAgent: `kintsugi-cluster-autoscaler/v${version}` },
  );
  const { cloudSocket: socket, callTimeoutMs, leaderElection, scaling } = config;
  const cloud = createCloudClient({ socket, callTimeoutMs });
  const options = {
    scaling,
    leaderElection: candidateOf(leaderElection, random),
  };
  const health = createHealthServer({ clock, log, metrics, checks: { ping: () => {} } }, config.health);
  return [
    health,
    followFiles({ clock, log }, followed),
    {
      name: "cluster-autoscaler",
      run: (signal) => runClusterAutoscaler({ client, clock, random, log, metrics, cloud }, options, signal),
    },
  ];
}
