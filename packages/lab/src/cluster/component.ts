/** One process of a cluster, as the supervisor keeps it running. */
export interface Component {
  /** "api-server", "kubelet@node-1": also the name of its pid file and log. */
  readonly id: string;
  readonly command: readonly string[];
  readonly cgroup: string;
  /** Path of the network namespace it runs in; absent: the host's. */
  readonly namespacePath?: string;
  /** The host name that it sees; absent: the host's. */
  readonly hostname?: string;
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

/** The connections that can be cut while a server's cable stays whole. */
export const serverCuts = ["etcd", "nats", "servers"] as const;
export type ServerCut = (typeof serverCuts)[number];

/** The user's actions on a server; kept on disk, so that they outlive a supervisor. */
export interface ServerState {
  power: "on" | "off";
  link: "up" | "down";
  /** Its processes do not reach this: any member of etcd, any NATS server, or all other servers. */
  cut?: ServerCut;
}

export const healthyServer: ServerState = { power: "on", link: "up" };
