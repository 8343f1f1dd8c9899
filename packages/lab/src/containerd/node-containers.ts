import type { ClusterPaths } from "../cluster/cluster-paths.ts";
import { nodePaths } from "../cluster/cluster-paths.ts";
import type { ClusterSpec, NodeSpec } from "../cluster/cluster-spec.ts";
import { runCommand } from "../processes/run-command.ts";

interface NodeOf {
  readonly spec: ClusterSpec;
  readonly paths: ClusterPaths;
}

/** The containers (sandboxes included) that a node's containerd still knows for any of these pods. */
export async function containersOfPods(cluster: NodeOf, node: NodeSpec, podUids: readonly string[]): Promise<string[]> {
  const filters = podUids.map((uid) => `labels."io.kubernetes.pod.uid"==${uid}`);
  if (filters.length === 0) return [];
  const { containerdSocket } = nodePaths(cluster.paths, node);
  const ids = await runCommand("ctr", [
    "--address",
    containerdSocket,
    "--namespace",
    "k8s.io",
    "containers",
    "list",
    "--quiet",
    ...filters,
  ]);
  return ids.split("\n").filter((id) => id !== "");
}

/** The process of a running container. @throws CommandFailed when it does not run. */
export async function containerProcess(cluster: NodeOf, node: NodeSpec, containerId: string): Promise<number> {
  const { containerdSocket } = nodePaths(cluster.paths, node);
  const rows = await runCommand("ctr", ["--address", containerdSocket, "--namespace", "k8s.io", "tasks", "list"]);
  for (const row of rows.split("\n")) {
    const [id, pid] = row.trim().split(/\s+/);
    if (id === containerId && pid !== undefined) return Number(pid);
  }
  throw new Error(`container ${containerId} has no process on ${node.name}`);
}
