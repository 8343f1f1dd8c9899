/** One process of a cluster, as the supervisor keeps it running. */
export interface Component {
  /** "api-server", "kubelet@node-1": also the name of its pid file and log. */
  readonly id: string;
  readonly command: readonly string[];
  readonly cgroup: string;
  /** Path of the network namespace it runs in; absent: the host's. */
  readonly namespacePath?: string;
  readonly logFile: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The user's actions on a node; kept on disk, so that they outlive a supervisor. */
export interface NodeState {
  power: "on" | "off";
  link: "up" | "down";
  kubelet: "running" | "stopped";
  /** A taint vouches towards the cluster that the machine is off; set only where `power` is off. */
  fenced?: true;
}

export const healthyNode: NodeState = { power: "on", link: "up", kubelet: "running" };
