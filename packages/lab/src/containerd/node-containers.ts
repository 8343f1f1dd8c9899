import type { ClusterPaths } from "../cluster/cluster-paths.ts";
import { nodePaths } from "../cluster/cluster-paths.ts";
import type { NodeSpec } from "../cluster/cluster-spec.ts";
import { runCommand } from "@kintsugi/daemon";

/**
 * Runs `ctr` with these arguments against one node's containerd, in the namespace of CRI, and
 * returns its output.
 */
export type Ctr = (...args: string[]) => Promise<string>;

/** The containerd of a node on this host. */
export function ctrOn(cluster: { readonly paths: ClusterPaths }, node: NodeSpec): Ctr {
  const { containerdSocket } = nodePaths(cluster.paths, node);
  return ctrAt(containerdSocket);
}

/** The containerd that listens at this path. */
export function ctrAt(socket: string): Ctr {
  return (...args) => runCommand("ctr", [...ctrArguments(socket), ...args]);
}

/** The first arguments of `ctr` for that containerd and the namespace of CRI. */
export function ctrArguments(socket: string): readonly string[] {
  return ["--address", socket, "--namespace", "k8s.io"];
}

/** The containers (including sandboxes) of any of these pods that a node's containerd still has. */
export async function containersOfPods(ctr: Ctr, podUids: readonly string[]): Promise<string[]> {
  const filters = podUids.map((uid) => `labels."io.kubernetes.pod.uid"==${uid}`);
  if (filters.length === 0) return [];
  const ids = await ctr("containers", "list", "--quiet", ...filters);
  return ids
    .split("\n")
    .map((id) => id.trim())
    .filter((id) => id !== "");
}

/**
 * The process of a running container, with the node's pid. @throws Error when the container does
 * not run.
 */
export async function containerProcess(ctr: Ctr, containerId: string): Promise<number> {
  for (const row of (await ctr("tasks", "list")).split("\n")) {
    const [id, pid] = row.trim().split(/\s+/);
    if (id === containerId && pid !== undefined) return Number(pid);
  }
  throw new Error(`container ${containerId} has no process on its node`);
}
