import type { Logger } from "@kintsugi/api";
import { createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import {
  type CloudProvider,
  createCloudClient,
  createContainerCloud,
  createLibvirtCloud,
  engineOn,
  virshAt,
} from "@kintsugi/cloud";
import {
  candidateOf,
  createHealthServer,
  createMetrics,
  followFiles,
  type Loop,
  runService,
  version,
} from "@kintsugi/daemon";
import { runCloudControllers } from "./cloud-controllers.ts";
import { type CloudControllerManagerConfig, readConfig } from "./config.ts";

void runService({ name: "cloud-controller-manager", configure: readConfig, start });

async function start(config: CloudControllerManagerConfig, log: Logger): Promise<readonly Loop[]> {
  const [clock, random, metrics] = [systemClock, systemRandom, createMetrics()];
  const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
  const client = createHttpClient(
    { clock, random, metrics },
    { ...access, credentials, userAgent: `kintsugi-cloud-controller-manager/v${version}` },
  );
  const { leaderElection, timers, routes } = config;
  const cloud = cloudAt(config);
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

function cloudAt({ cloud, callTimeoutMs }: CloudControllerManagerConfig): CloudProvider {
  switch (cloud.provider) {
    case "lab":
      return createCloudClient({ socket: cloud.socket, callTimeoutMs });
    case "compose":
      return createContainerCloud(engineOn(cloud.socket, callTimeoutMs), { project: cloud.project });
    case "libvirt":
      return createLibvirtCloud(virshAt({ ...cloud, callTimeoutMs }), cloud);
  }
}
