/** One process of a cluster, which the supervisor keeps running. */
export interface Component {
  /** "api-server", "kubelet@node-1": also the name of its pid file and log. */
  readonly id: string;
  readonly command: readonly string[];
  readonly cgroup: string;
  /** Path of the process's network namespace; default: the host's network namespace. */
  readonly namespacePath?: string;
  /** The host name in the process's view; default: the host's own name. */
  readonly hostname?: string;
  readonly logFile: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The user's actions on a node; stored on disk, so that they outlive a supervisor. */
export interface NodeState {
  power: "on" | "off";
  link: "up" | "down";
  kubelet: "running" | "stopped";
  /**
   * True if a taint declares to the cluster that the machine is off; set only if `power` is off.
   */
  fenced?: true;
}

export const healthyNode: NodeState = { power: "on", link: "up", kubelet: "running" };

/** The connections that can be cut while a server's cable stays plugged in. */
export const serverCuts = ["etcd", "nats", "servers"] as const;
export type ServerCut = (typeof serverCuts)[number];

/** The user's actions on a server; stored on disk, so that they outlive a supervisor. */
export interface ServerState {
  power: "on" | "off";
  link: "up" | "down";
  /**
   * The targets that its processes cannot reach: all members of etcd, all NATS servers, or all
   * other servers.
   */
  cut?: ServerCut;
}

export const healthyServer: ServerState = { power: "on", link: "up" };
