import type { Ipv4Range } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { CloudProvider } from "@kintsugi/cloud";
import { controllerDefiner, type ControllerInputs, type Informers, type OwnContext } from "@kintsugi/controller";

/** Settings that the controllers share. */
export interface CloudTimers {
  /** The cloud is asked this often about a node that is not ready. Default 5 s. */
  readonly nodeMonitorPeriodMs: number;
  /** The cloud is asked this often about every node's addresses. Default 5 min. */
  readonly nodeStatusUpdateMs: number;
  /** Every load balancer is compared with the cloud's this often. Default 5 min. */
  readonly serviceSyncPeriodMs: number;
}

/** Settings of the routes to pods. */
export interface RouteSettings {
  /** The addresses of all pods; routes outside of it are another owner's. */
  readonly clusterRange: Ipv4Range;
  /** The interval at which the cloud's routes are compared. Default 10 s. */
  readonly periodMs: number;
}

export interface CloudInputs extends ControllerInputs {
  /** Refuses writes when this process no longer leads. */
  client: Client;
  cloud: CloudProvider;
  timers: CloudTimers;
  /** Undefined: the cluster's network has routes of its own. */
  routes: RouteSettings | undefined;
}

export interface CloudWorld extends CloudInputs {
  informers: Informers;
}

export type CloudContext = OwnContext<CloudWorld>;

/** Declares one controller; `cloud-controllers.ts` lists them. */
export const defineCloudController = controllerDefiner<CloudInputs, CloudWorld>();
