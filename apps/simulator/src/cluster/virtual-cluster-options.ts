import type { Logger, ProfileName, TimerProfile } from "@kintsugi/api";
import type { KeptHistory, ScenarioNode, ServerDiskOptions } from "@kintsugi/simulation";

export interface VirtualClusterOptions {
  /** The number of nodes, called node-1, node-2, …; or each by its name. Default 3. */
  nodes?: number | readonly ScenarioNode[];
  /** Default "kubernetes". */
  profile?: ProfileName;
  /** Timers that differ from the profile's. */
  timers?: Partial<TimerProfile> | undefined;
  /** Everything random follows from it. Default 1. */
  seed?: number;
  /** Changes travel over a bus; without it all processes watch over HTTP. Default true. */
  bus?: boolean;
  /** Scheduler and controller-manager run for election. Default true. */
  leaderElection?: boolean;
  /** The controller-manager runs with `--rebalance`. Default false. */
  rebalance?: boolean;
  /** There is a cloud with disks for the claims of pods. Default false. */
  storage?: boolean;
  /** Each node has devices, for the claims of pods. Default false. */
  devices?: boolean;
  /** The machines of the control plane; more than one share a log, and need no bus. Default 1. */
  servers?: number | undefined;
  maxPods?: number;
  /**
   * The most that a message takes between a service and the api-server, either way, and over the
   * bus. Default 0: then everything happens immediately, and every cache is as new as the store.
   */
  latencyMaxMs?: number;
  /** The part of the past that the store keeps. Default as in production. */
  kept?: KeptHistory;
  /**
   * The disk of the api-server's store; `false` for memory without faults. Default a disk that
   * takes no time.
   */
  disk?: Partial<ServerDiskOptions> | false;
  log?: Logger;
  /**
   * A service that modifies an object shared by its informers gets an error. Default false: that
   * takes time.
   */
  frozen?: boolean | undefined;
}
