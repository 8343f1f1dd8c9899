import type { Ipv4Range } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { CloudProvider } from "@kintsugi/cloud";
import { controllerDefiner, type ControllerInputs, type Informers, type OwnContext } from "@kintsugi/controller";

/** Settings that the controllers share. */
export interface CloudTimers {
  /** Interval at which the cloud is queried about a node that is not ready. Default 5 s. */
  readonly nodeMonitorPeriodMs: number;
  /** Interval at which the cloud is queried about every node's addresses. Default 5 min. */
  readonly nodeStatusUpdateMs: number;
  /**
   * Interval at which every load balancer is compared with its state in the cloud. Default 5 min.
   */
  readonly serviceSyncPeriodMs: number;
}

/** Settings of the routes to pods. */
export interface RouteSettings {
  /** The addresses of all pods. Routes outside this range belong to another owner. */
  readonly clusterRange: Ipv4Range;
  /** The interval at which the cloud's routes are compared. Default 10 s. */
  readonly periodMs: number;
}

export interface CloudInputs extends ControllerInputs {
  /** Rejects writes when this process no longer leads. */
  client: Client;
  cloud: CloudProvider;
  timers: CloudTimers;
  /** Undefined: the cluster's network has its own routes. */
  routes: RouteSettings | undefined;
}

export interface CloudWorld extends CloudInputs {
  informers: Informers;
}

export type CloudContext = OwnContext<CloudWorld>;

/** Declares one controller. `cloud-controllers.ts` lists all controllers. */
export const defineCloudController = controllerDefiner<CloudInputs, CloudWorld>();
