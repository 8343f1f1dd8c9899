import { isFeatureOn, type Logger } from "@kintsugi/api";
import { createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import {
  candidateOf,
  createHealthServer,
  createMetrics,
  followFiles,
  type Loop,
  recordFeatures,
  runService,
  version,
} from "@kintsugi/daemon";
import { createClusterBus } from "@kintsugi/watch-stream";
import { readConfig, type SchedulerConfig } from "./config.ts";
import { createScheduler } from "./factory.ts";

void runService({ name: "scheduler", configure: readConfig, start });

async function start(config: SchedulerConfig, log: Logger): Promise<readonly Loop[]> {
  const [clock, random, metrics] = [systemClock, systemRandom, createMetrics()];
  recordFeatures(metrics, config.features);
  const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
  const client = createHttpClient(
    { clock, random, metrics },
    { ...access, credentials, userAgent: `kintsugi-scheduler/v${version}` },
  );
  const bus = createClusterBus(
    { clock, log, call: (request) => client.call(request) },
    { service: "scheduler", ca: access.ca ?? "" },
  );
  const { leaderElection, schedulerName, podInitialBackoffMs, podMaxBackoffMs, podMaxWaitingMs } = config;
  const scheduler = createScheduler(
    { client, changes: bus.changes, clock, random, log, metrics },
    {
      schedulerName,
      devices: isFeatureOn(config.features, "DynamicResourceAllocation"),
      queue: { podInitialBackoffMs, podMaxBackoffMs, podMaxWaitingMs },
      leaderElection: candidateOf(leaderElection, random),
    },
  );
  const health = createHealthServer(
    { clock, log, metrics, checks: { ping: () => {}, informers: () => assertSynced(scheduler.synced) } },
    config.health,
  );
  return [
    health,
    bus,
    followFiles({ clock, log }, followed),
    { name: "scheduler", run: (signal) => scheduler.run(signal) },
  ];
}

function assertSynced(synced: boolean): void {
  if (!synced) throw new Error("the first lists are not in yet");
}
