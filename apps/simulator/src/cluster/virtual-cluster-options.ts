import type { Logger, ProfileName, TimerProfile } from "@kintsugi/api";
import type { KeptHistory, ScenarioNode, ServerDiskOptions } from "@kintsugi/simulation";

export interface VirtualClusterOptions {
  /**
   * The number of nodes, with the names node-1, node-2, …; or each node by its name. Default: 3.
   */
  nodes?: number | readonly ScenarioNode[];
  /** Default "kubernetes". */
  profile?: ProfileName;
  /** Timers that differ from the profile's. */
  timers?: Partial<TimerProfile> | undefined;
  /** The seed of all randomness. Default: 1. */
  seed?: number;
  /**
   * True if changes are published over a bus; if false, all processes use HTTP watches. Default:
   * true.
   */
  bus?: boolean;
  /** True if scheduler and controller-manager use leader election. Default: true. */
  leaderElection?: boolean;
  /** True if the controller-manager runs with `--rebalance`. Default: false. */
  rebalance?: boolean;
  /** True if a cloud has disks for the claims of pods. Default: false. */
  storage?: boolean;
  /** True if each node has devices for the claims of pods. Default: false. */
  devices?: boolean;
  /**
   * The machines of the control plane; several machines share a log, and do not need a bus.
   * Default: 1.
   */
  servers?: number | undefined;
  maxPods?: number;
  /**
   * The longest delay of a message between a service and the api-server, in either direction, and
   * over the bus. Default 0: then messages arrive immediately, and every cache is as new as the
   * store.
   */
  latencyMaxMs?: number;
  /** The retention of the store. Default: as in production. */
  kept?: KeptHistory;
  /**
   * The disk of the api-server's store; `false` for memory without faults. Default: a disk without
   * delays.
   */
  disk?: Partial<ServerDiskOptions> | false;
  log?: Logger;
  /**
   * True if a service that modifies an object shared by its informers gets an error. Default false,
   * because freezing takes time.
   */
  frozen?: boolean | undefined;
}
