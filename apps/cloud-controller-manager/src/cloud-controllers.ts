import { nodes, services } from "@kintsugi/api";
import type { CloudProvider } from "@kintsugi/cloud";
import { type LeaderElectionOptions, runLedControllers, type LedControllersDeps } from "@kintsugi/controller";
import type { CloudTimers, RouteSettings } from "./context.ts";
import { cloudNode } from "./nodes/cloud-node.ts";
import { cloudNodeLifecycle } from "./nodes/cloud-node-lifecycle.ts";
import { routeController } from "./routes/route-controller.ts";
import { serviceController } from "./services/service-controller.ts";

/** All controllers; each is made once per term as leader. */
const controllers = [cloudNode, cloudNodeLifecycle, serviceController, routeController] as const;
/** Every Kintsugi API server serves these kinds. */
const served = [nodes, services];

export interface CloudControllersDeps extends LedControllersDeps {
  cloud: CloudProvider;
}

export interface CloudControllersOptions {
  timers: CloudTimers;
  /** Absent: routes are not created in the cloud. */
  routes?: RouteSettings | undefined;
  /** Absent: the controllers work without electing a leader. */
  leaderElection?: LeaderElectionOptions | undefined;
}

/** Synchronizes nodes and load balancers with the cloud while it leads. */
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
