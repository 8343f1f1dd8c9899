import type { ProfileName } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

/**
 * The longest delay beyond the timers on machines that run already, and start a pod in a second or
 * two.
 */
export const usualPatienceMs = 60_000;

/** The demo's place: a cluster, and the machines under it. */
export interface Stage {
  /** The administrator's client; `leave` closes it, which the stage's opener calls. */
  readonly client: Client;
  /** The profile whose timers explain the delays. */
  readonly profile: ProfileName;
  /** Each step may take this long beyond those timers. */
  readonly patienceMs: number;
  /** The nodes that may be killed. */
  readonly nodes: readonly string[];
  readonly machines: Machines;
  /** Removes the demo's objects; with `keep`, explains instead how to reach and remove them. */
  leave(options: { keep: boolean }): Promise<void>;
}

/** The actions on a cluster that no API has. */
export interface Machines {
  /** Cuts the node's power: nothing on the node ends cleanly. */
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
