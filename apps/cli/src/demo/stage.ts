import type { ProfileName } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

/**
 * The longest delay beyond the timers on machines that are already running, and start a pod in a
 * second or two.
 */
export const usualPatienceMs = 60_000;

/** The demo's environment: a cluster and its machines. */
export interface Stage {
  /** The administrator's client; `leave`, which the stage's opener calls, closes it. */
  readonly client: Client;
  /** The profile whose timers explain the delays. */
  readonly profile: ProfileName;
  /** Time that each step may take in addition to those timers. */
  readonly patienceMs: number;
  /** The nodes that may be killed. */
  readonly nodes: readonly string[];
  readonly machines: Machines;
  /** Removes the demo's objects; with `keep`, explains instead how to reach and remove them. */
  leave(options: { keep: boolean }): Promise<void>;
}

/** The actions on a cluster that are not part of the API. */
export interface Machines {
  /** Cuts the node's power, so that its processes do not end cleanly. */
  kill(node: string): Promise<void>;
  /** Switches the node on again. Its kubelet may not be running yet when this resolves. */
  return(node: string): Promise<void>;
  /** Kills a container's process, as the kernel might. Absent without access to the nodes. */
  killContainer?: (node: string, containerId: string) => Promise<void>;
  /**
   * The containers, including sandboxes, that the node's runtime still has of these pods. Absent
   * without access to the nodes.
   */
  containersOfPods?: (node: string, podUids: readonly string[]) => Promise<string[]>;
}
