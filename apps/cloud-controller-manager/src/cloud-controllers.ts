import { type Logger, type Metrics, nodes, services } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import type { CloudProvider } from "@kintsugi/cloud";
import { type LeaderElectionOptions, runLedControllers } from "@kintsugi/controller";
import type { CloudTimers, RouteSettings } from "./context.ts";
import { cloudNode } from "./nodes/cloud-node.ts";
import { cloudNodeLifecycle } from "./nodes/cloud-node-lifecycle.ts";
import { routeController } from "./routes/route-controller.ts";
import { serviceController } from "./services/service-controller.ts";

/** Every controller there is; each is made once per term as leader. */
const controllers = [cloudNode, cloudNodeLifecycle, serviceController, routeController] as const;
/** Every API server here serves these. */
const served = [nodes, services];

export interface CloudControllersDeps {
  client: Client;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  cloud: CloudProvider;
}

export interface CloudControllersOptions {
  timers: CloudTimers;
  /** The cloud gets no routes where this is absent. */
  routes?: RouteSettings | undefined;
  /** The controllers work without electing a leader where this is absent. */
  leaderElection?: LeaderElectionOptions | undefined;
}

/** Keeps nodes and load balancers as the cloud has them, while it leads. */
export async function runCloudControllers(
  deps: CloudControllersDeps,
  options: CloudControllersOptions,
  signal: AbortSignal,
): Promise<void> {
  const { cloud, log } = deps;
  const { timers, routes, leaderElection } = options;
  const own = () => ({ cloud, timers, routes });
  const onSynced = () => log.info("serving the cloud");
  await runLedControllers(deps, { controllers, served, own, leaderElection, onSynced }, signal);
}
