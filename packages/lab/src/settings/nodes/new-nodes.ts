import { checkLabel1123, nodesMax } from "@kintsugi/api";
import { z } from "zod";
import { InvalidSpec } from "../invalid-spec.ts";
import type { NodeSpec } from "./node-spec.ts";

/**
 * A node as a user requests it; its number, which determines its addresses, is chosen
 * automatically.
 */
export const NewNode = z.strictObject({
  /** Default: "node-" and its number. */
  name: z.string().optional(),
  /** Labels that the kubelet registers. */
  labels: z.record(z.string(), z.string()).optional(),
  /** Taints that the kubelet registers: "dedicated=database:NoSchedule". */
  taints: z.array(z.string()).optional(),
  /** Flags of this node's kubelet, after the flags of all kubelets: "max-pods=20". */
  kubeletArgs: z.array(z.string()).optional(),
});
export type NewNode = z.infer<typeof NewNode>;

/**
 * Names of files and directories next to the files and directories of the nodes: a node with such a
 * name would overwrite an identity of the control plane, or its sockets.
 */
const reservedNames = new Set([
  "ca",
  "admin",
  "sa",
  "nats",
  "nats-account",
  "api-server",
  "api-server-kubelet-client",
  "scheduler",
  "controller-manager",
  "csi-controller",
  "ingress-controller",
  "ingress",
  "front-proxy-ca",
  "front-proxy-client",
  "proxy",
  "cloud-controller-manager",
  "cluster-autoscaler",
  "cloud",
  "pids",
  "control",
  "supervisor",
  "etcd-ca",
  "nats-route-ca",
  "api-server-etcd-client",
]);

/** Names of control plane servers, and of their processes' identities. */
const serverNameForm = /^(?:server|api-server|etcd|nats|nats-route)-\d+$/;

/** A socket's path has at most 107 characters, and the cluster's name takes up to 32 of them. */
const nodeNameMax = 32;

/**
 * Highest number of nodes that are added later: the ranges of higher numbers are for pods of
 * machines that join.
 */
export const addedIndexMax = 127;

/**
 * Assigns each node a name and the lowest free number.
 * @throws InvalidSpec that names the node and the remedy.
 */
export function planNewNodes(
  existing: readonly NodeSpec[],
  wanted: readonly NewNode[],
  options: { indexMax: number } = { indexMax: nodesMax },
): NodeSpec[] {
  const taken = new Set(existing.map(({ index }) => index));
  const names = new Set(existing.map(({ name }) => name));
  return wanted.map(({ name: wantedName, labels, taints, kubeletArgs }) => {
    const index = lowestFree(taken, options.indexMax);
    taken.add(index);
    const name = wantedName ?? freeName(names, index);
    assertNodeName(name, names);
    names.add(name);
    return {
      name,
      index,
      ...(labels === undefined ? {} : { labels }),
      ...(taints === undefined ? {} : { taints }),
      ...(kubeletArgs === undefined ? {} : { kubeletArgs }),
    };
  });
}

/** The cluster without a node. @throws InvalidSpec for its last node. */
export function withoutNode<Spec extends { name: string; nodes: readonly NodeSpec[] }>(spec: Spec, name: string): Spec {
  const nodes = spec.nodes.filter((node) => node.name !== name);
  if (nodes.length > 0) return { ...spec, nodes };
  throw new InvalidSpec(
    `${name} is the last node of cluster "${spec.name}": \`kintsugi down --name ${spec.name}\` removes the cluster`,
  );
}

function lowestFree(taken: ReadonlySet<number>, indexMax: number): number {
  for (let index = 1; index <= indexMax; index++) if (!taken.has(index)) return index;
  throw new InvalidSpec(`a cluster of this host has at most ${indexMax} nodes: remove one first`);
}

/**
 * A node that was given another node's default name keeps this name; the other node's default name
 * then gets a letter.
 */
function freeName(names: ReadonlySet<string>, index: number): string {
  const plain = `node-${index}`;
  return names.has(plain) ? `node-${index}b` : plain;
}

function assertNodeName(name: string, names: ReadonlySet<string>): void {
  const [problem] = checkLabel1123(name);
  if (problem !== undefined) throw new InvalidSpec(`"${name}" cannot be a node's name: ${problem}`);
  if (name.length > nodeNameMax)
    throw new InvalidSpec(`"${name}" cannot be a node's name: it has more than ${nodeNameMax} characters`);
  if (reservedNames.has(name) || serverNameForm.test(name))
    throw new InvalidSpec(`"${name}" cannot be a node's name: files of the control plane have this name`);
  if (names.has(name)) throw new InvalidSpec(`a node "${name}" already exists`);
}
