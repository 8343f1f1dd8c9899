import type { NodeSpec, ServerSpec } from "../cluster/cluster-spec.ts";
import type { Component } from "../cluster/component.ts";

/**
 * Provides everything that a cluster's processes need before they can start. Every step is
 * repeatable, and completes the half-made work of a crash.
 */
export interface Provisioner {
  /** Keys, certificates, configuration files. */
  files(): Promise<void>;
  /** The bridge on which the control plane listens. */
  bridge(): Promise<void>;
  /** The access from the bridge to the world beyond this host. */
  egress(): Promise<void>;
  /** Image archives. */
  images(): Promise<void>;
  /** A server's namespace, cable and directories. */
  server(server: ServerSpec, options: { linkUp: boolean }): Promise<void>;
  /** Resolves once a majority of etcd's members serves, or after `waitMs`. */
  etcdServes(waitMs: number): Promise<void>;
  /** Resolves once an API server listens, or after `waitMs`. */
  apiServes(waitMs: number): Promise<void>;
  /** Resolves once the node's kubelet listens, or after `waitMs`. */
  kubeletServes(node: NodeSpec, waitMs: number): Promise<void>;
  /** A node's namespace, cable, cgroup and directories. Returns its containerd. */
  node(node: NodeSpec, options: { linkUp: boolean }): Promise<Component>;
  /** Removes from a node without processes everything that does not survive a machine's boot. */
  forgetBoot(node: NodeSpec): Promise<void>;
  /** The other nodes' routes to the pods of a node that was added. */
  routesTo(node: NodeSpec): Promise<void>;
  /** Removes everything that a node without processes has on this host. Repeatable. */
  removeNode(node: NodeSpec): Promise<void>;
  /** Called once containerd runs: waits for its socket and imports the images. */
  importImages(node: NodeSpec): Promise<void>;
}
