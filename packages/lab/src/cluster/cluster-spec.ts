import { createHash } from "node:crypto";
import { assertClusterName } from "../settings/command/name.ts";
import { InvalidSpec } from "../settings/invalid-spec.ts";
import type { ServerSpec } from "../settings/control-plane/servers.ts";
import type { NodeSpec } from "../settings/nodes/node-spec.ts";
import { numberedNodes } from "../settings/nodes/nodes.ts";
import type { StoredSettings } from "../settings/desired-settings.ts";

export type { ForwardedPort } from "../settings/nodes/port-forwards.ts";
export type { NodeSpec, ServerSpec };

/** The parts of a cluster on this host; written once by `up`, and read by all other commands. */
export interface ClusterSpec extends StoredSettings {
  /** The version of this file's format. */
  formatVersion: 1;
  name: string;
  /** The second byte of the cluster's 10.x.0.0/16. */
  subnet: number;
  createdAtMs: number;
}

/** @throws InvalidSpec that names the remedy. */
export function newClusterSpec({
  nodeCount,
  ...rest
}: Omit<ClusterSpec, "formatVersion" | "nodes"> & { nodeCount: number }): ClusterSpec {
  assertClusterName(rest.name);
  if (!Number.isInteger(rest.apiPort) || rest.apiPort < 1 || rest.apiPort > 65535) {
    throw new InvalidSpec(`--api-port must be from 1 to 65535, not ${rest.apiPort}`);
  }
  return { formatVersion: 1, nodes: numberedNodes(nodeCount), ...rest };
}

/** @throws InvalidSpec with the names of the existing servers. */
export function findServer({ name: cluster, servers }: ClusterSpec, name: string): ServerSpec {
  if (servers === undefined) {
    throw new InvalidSpec(
      `cluster "${cluster}" has one control plane on this host: \`kintsugi up --name NAME --servers 3\` makes a cluster with three`,
    );
  }
  const server = servers.find((candidate) => candidate.name === name);
  if (server) return server;
  throw new InvalidSpec(
    `cluster "${cluster}" has no server "${name}"; it has ${servers.map((each) => each.name).join(", ")}`,
  );
}

/**
 * Returns six hex digits that distinguish this cluster's links from others, because interface names
 * have at most 15 characters.
 */
export function clusterId(spec: Pick<ClusterSpec, "name">): string {
  return createHash("sha256").update(spec.name).digest("hex").slice(0, 6);
}

export function findNode(spec: ClusterSpec, name: string): NodeSpec {
  const node = spec.nodes.find((candidate) => candidate.name === name);
  if (node) return node;
  throw new InvalidSpec(
    `cluster "${spec.name}" has no node "${name}"; it has ${spec.nodes.map((n) => n.name).join(", ")}`,
  );
}
