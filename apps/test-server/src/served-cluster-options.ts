import type { Logger, ProfileName } from "@kintsugi/api";
import type { BuiltInResource, ServerOptions } from "@kintsugi/api-server/factory";
import type { Clock, Random } from "@kintsugi/clock";
import type { FleetOptions } from "@kintsugi/hollow/factory";
import type { GivenCredentials } from "./access/identities.ts";

export interface ServedClusterDeps {
  /** Real time, for requests, and for the cluster too unless its clock is steered. */
  clock: Clock;
  random: Random;
  log: Logger;
  /** Additional resources of the API server. Default: none. */
  routes?: readonly BuiltInResource[];
}

export interface ServedClusterOptions {
  /** An address of this host, at which the API is served over TLS. */
  bindAddress: string;
  /** 0 selects a free port. */
  port: number;
  /** The directory of the objects; if absent, the objects are kept in memory. */
  dataDirectory: string | undefined;
  /** The profile that sets all timers. */
  profile: ProfileName;
  /** "steered": the cluster has its own clock, which stops when all nodes are Ready. */
  clock: "real" | "steered";
  /** False: the API server runs alone, without scheduler and controllers. Default true. */
  controllers?: boolean;
  /** Serves the clock, the faults and the marks to clients. Default true. */
  isSteeredByClients?: boolean;
  /** Claims get disks of a fake driver. Default false. */
  volumes?: boolean;
  /** Services of type LoadBalancer get addresses of a fake cloud. Default false. */
  cloud?: boolean;
  /** Default: the cluster makes all its certificates and keys itself. */
  given?: GivenCredentials;
  /** Further options of the API server. */
  server: Partial<ServerOptions>;
  fleet: Pick<FleetOptions, "kubelets" | "machine">;
}
