import type { Logger, ProfileName } from "@kintsugi/api";
import type { BuiltInResource, ServerOptions } from "@kintsugi/api-server/factory";
import type { Clock, Random } from "@kintsugi/clock";
import type { FleetOptions } from "@kintsugi/hollow/factory";
import type { GivenCredentials } from "./access/identities.ts";

export interface ServedClusterDeps {
  /** Real time: that of requests, and of the cluster too unless its clock is steered. */
  clock: Clock;
  random: Random;
  log: Logger;
  /** Further resources of the API server. Default: there are none. */
  routes?: readonly BuiltInResource[];
}

export interface ServedClusterOptions {
  /** An address of this host; the API is served there by TLS. */
  bindAddress: string;
  /** 0 takes any free port. */
  port: number;
  /** The directory of the objects; absent: they are kept in memory. */
  dataDirectory: string | undefined;
  /** The profile that sets all timers. */
  profile: ProfileName;
  /** "steered": the cluster has a clock of its own, which stands still once all nodes are Ready. */
  clock: "real" | "steered";
  /** False: the API server is alone, without scheduler and controllers. Default true. */
  controllers?: boolean;
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
