import type { ProfileName } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

/**
 * What machines that run already, and start a pod in a second or two, need beyond the timers at
 * most.
 */
export const usualPatienceMs = 60_000;

/** Where the demo plays: a cluster, and the machines under it. */
export interface Stage {
  /** Its administrator's; whoever opened the stage closes it with `leave`. */
  readonly client: Client;
  /** Whose timers explain the delays. */
  readonly profile: ProfileName;
  /** How long anything may take beyond those timers. */
  readonly patienceMs: number;
  /** The nodes that may be killed. */
  readonly nodes: readonly string[];
  readonly machines: Machines;
  /** Removes what the demo made; with `keep` says instead how it is reached and removed. */
  leave(options: { keep: boolean }): Promise<void>;
}

/** What no API can do to a cluster. */
export interface Machines {
  /** As if somebody pulled the plug: nothing on the node says good-bye. */
  kill(node: string): Promise<void>;
  /** Switches it on again. Its kubelet need not run yet when this resolves. */
  return(node: string): Promise<void>;
  /** Kills a container's process, as the kernel might. Absent: there is no way into the nodes. */
  killContainer?: (node: string, containerId: string) => Promise<void>;
  /**
   * The containers, sandboxes included, that the node's runtime still has of these pods. Absent as
   * above.
   */
  containersOfPods?: (node: string, podUids: readonly string[]) => Promise<string[]>;
}
