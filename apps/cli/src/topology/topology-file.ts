import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { kubernetesMinors, nodesMax, profileNames, zoneLabel } from "@kintsugi/api";
import {
  type CloudSpec,
  InvalidSpec,
  insecureRegistry,
  type NewNode,
  ociRuntimes,
  type ForwardedPort,
  registryMirror,
  type RegistrySpec,
} from "@kintsugi/lab";
import { InvalidFile, parseYaml } from "@kintsugi/yaml-text";
import { z } from "zod";
import { CommandError } from "../base/command.ts";
import { type HostSize, CloudText, problemsOfCloud, toCloudSpec } from "./cloud-groups.ts";
import { findFlagProblem, findLabelProblem, findTaintProblem } from "./node-settings.ts";

// A topology describes a cluster of this host for `kintsugi up --config FILE`:
//
//   apiVersion: kintsugi.dev/v1
//   kind: Topology
//   name: shop
//   profile: fast
//   nodes:
//     - count: 2
//       zone: a
//       labels: { disk: ssd }
//     - name: database-1
//       zone: b
//       taints: ["dedicated=database:NoSchedule"]
//       kubelet: { max-pods: 20 }
//   images: [app.tar]
//   ports:
//     - { host: 8080, node: database-1, port: 30080 }
//   cloud:
//     groups:
//       - { name: small, max: 3, cpu: 1, priority: 10 }

/** The limit of the lab's driver of devices. */
const devicesMax = 1024;
const flagValue = z.union([z.string(), z.number(), z.boolean()]);
const port = z.int().min(1).max(65_535);

const NodeGroup = z.strictObject({
  name: z.string().optional(),
  count: z.int().min(1).max(nodesMax).optional(),
  zone: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  taints: z.array(z.string()).optional(),
  kubelet: z.record(z.string(), flagValue).optional(),
});
type NodeGroup = z.infer<typeof NodeGroup>;

const TopologyFile = z.strictObject({
  apiVersion: z.literal("kintsugi.dev/v1"),
  kind: z.literal("Topology"),
  name: z.string().optional(),
  profile: z.enum(profileNames).optional(),
  ociRuntime: z.enum(ociRuntimes).optional(),
  apiPort: port.optional(),
  externalIps: z.boolean().optional(),
  rebalance: z.boolean().optional(),
  ingress: z.boolean().optional(),
  /** Simulated devices of each node. */
  devices: z.int().min(1).max(devicesMax).optional(),
  kubernetesVersion: z.enum(kubernetesMinors.map((minor) => `1.${minor}` as const)).optional(),
  /** Machines of the control plane. */
  servers: z.union([z.literal(1), z.literal(3), z.literal(5)]).optional(),
  nodes: z.array(NodeGroup).min(1).optional(),
  kubelet: z.record(z.string(), flagValue).optional(),
  images: z.array(z.string()).optional(),
  insecureRegistries: z.array(z.string()).optional(),
  registryMirrors: z.array(z.string()).optional(),
  cloud: CloudText.optional(),
  ports: z
    .array(z.strictObject({ address: z.string().optional(), host: port, node: z.string(), port }))
    .max(64)
    .optional(),
});
type TopologyFile = z.infer<typeof TopologyFile>;

/** A cluster as a file describes it; what is undefined has the default of `up`. */
export interface ClusterTopology {
  readonly name: string | undefined;
  readonly profile: TopologyFile["profile"];
  readonly ociRuntime: TopologyFile["ociRuntime"];
  readonly apiPort: number | undefined;
  readonly externalIps: boolean | undefined;
  readonly rebalance: boolean | undefined;
  readonly ingress: boolean | undefined;
  readonly devices: number | undefined;
  readonly kubernetesVersion: string | undefined;
  readonly servers: number | undefined;
  readonly nodes: readonly NewNode[] | undefined;
  readonly kubeletArgs: readonly string[] | undefined;
  /** Absolute paths of archives, and names of images. */
  readonly images: readonly string[];
  readonly registries: readonly RegistrySpec[];
  readonly portForwards: readonly ForwardedPort[];
  readonly cloud: CloudSpec | undefined;
}

/**
 * Reads a topology file for this host.
 * @throws CommandError with all that is wrong in it, each with its line and column.
 */
export function readTopology(file: string, host: HostSize): ClusterTopology {
  try {
    const text = readFileSync(file, "utf8");
    const parsed = parseYaml(text, { schema: TopologyFile, source: file, whole: "topology" });
    const problems = problemsOf(parsed.value, host);
    if (problems.length > 0) throw parsed.invalid(problems);
    return toTopology(parsed.value, dirname(resolve(file)));
  } catch (error) {
    if (isMissing(error))
      throw new CommandError(
        `--config ${file} ${whyUnread(error)}: name a topology, as docs/recipes/describe-a-topology.md has it`,
        {
          cause: error,
        },
      );
    if (error instanceof InvalidFile || error instanceof InvalidSpec)
      throw new CommandError((error as Error).message, { cause: error });
    throw error;
  }
}

/** Says why a file cannot be read, in words. */
function whyUnread(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "does not exist";
  return code === "EISDIR" ? "is a directory" : "may not be read by this user";
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "EISDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "");
}

interface Problem {
  path: readonly (string | number)[];
  message: string;
}

/** Faults that the shape does not show. */
function problemsOf(file: TopologyFile, host: HostSize): Problem[] {
  const groups = file.nodes ?? [];
  const problems: Problem[] = groups.flatMap((group, index) =>
    problemsOfGroup(group).map(({ path, message }) => ({ path: ["nodes", index, ...path], message })),
  );
  const total = groups.reduce((sum, { count = 1 }) => sum + count, 0);
  if (total > nodesMax)
    problems.push({ path: ["nodes"], message: `are ${total}, and a cluster of this host has at most ${nodesMax}` });
  const names = namesOf(groups);
  for (const [index, { node }] of (file.ports ?? []).entries())
    if (!names.has(node)) {
      const message = `there is no node "${node}"; there are ${[...names].slice(0, 10).join(", ")}`;
      problems.push({ path: ["ports", index, "node"], message });
    }
  const ofCloud = file.cloud === undefined ? [] : problemsOfCloud(file.cloud, host);
  problems.push(...ofCloud.map(({ path, message }) => ({ path: ["cloud", ...path], message })));
  return [...problems, ...problemsOfFlags(file.kubelet)];
}

function problemsOfGroup({ name, count, zone, labels = {}, taints = [], kubelet }: NodeGroup): Problem[] {
  const problems: Problem[] = [];
  if (name !== undefined && count !== undefined && count > 1)
    problems.push({ path: ["count"], message: `${count} nodes cannot all have the name "${name}"` });
  if (zone !== undefined && labels[zoneLabel] !== undefined)
    problems.push({ path: ["zone"], message: `the label ${zoneLabel} has it already` });
  const zoneProblem = zone === undefined ? undefined : findLabelProblem(zoneLabel, zone);
  if (zoneProblem !== undefined) problems.push({ path: ["zone"], message: zoneProblem });
  for (const [key, value] of Object.entries(labels)) {
    const message = findLabelProblem(key, value);
    if (message !== undefined) problems.push({ path: ["labels", key], message });
  }
  for (const [index, taint] of taints.entries()) {
    const message = findTaintProblem(taint);
    if (message !== undefined) problems.push({ path: ["taints", index], message });
  }
  return [...problems, ...problemsOfFlags(kubelet)];
}

function problemsOfFlags(kubelet: NodeGroup["kubelet"] = {}): Problem[] {
  return Object.keys(kubelet).flatMap((name) => {
    const message = findFlagProblem(name);
    return message === undefined ? [] : [{ path: ["kubelet", name], message }];
  });
}

/** The names that the nodes will have: given ones, and node-N by their place. */
function namesOf(groups: readonly NodeGroup[]): Set<string> {
  const names = groups.flatMap(({ name, count = 1 }) => Array.from({ length: count }, () => name));
  return new Set(names.length === 0 ? ["node-1", "node-2", "node-3"] : names.map((name, i) => name ?? `node-${i + 1}`));
}

function toTopology(file: TopologyFile, directory: string): ClusterTopology {
  return {
    name: file.name,
    profile: file.profile,
    ociRuntime: file.ociRuntime,
    apiPort: file.apiPort,
    externalIps: file.externalIps,
    rebalance: file.rebalance,
    ingress: file.ingress,
    devices: file.devices,
    kubernetesVersion: file.kubernetesVersion,
    servers: file.servers,
    nodes: file.nodes?.flatMap((group) => Array.from({ length: group.count ?? 1 }, () => toNewNode(group))),
    kubeletArgs: file.kubelet && flagsIn(file.kubelet),
    images: (file.images ?? []).map((image) => fileOrName(image, directory)),
    registries: [
      ...(file.insecureRegistries ?? []).map(insecureRegistry),
      ...(file.registryMirrors ?? []).map(registryMirror),
    ],
    cloud: file.cloud && toCloudSpec(file.cloud),
    portForwards: (file.ports ?? []).map(({ address, host, node, port: nodePort }) => ({
      ...(address === undefined ? {} : { hostAddress: address }),
      hostPort: host,
      node,
      nodePort,
    })),
  };
}

function toNewNode({ name, zone, labels, taints, kubelet }: NodeGroup): NewNode {
  const all = { ...labels, ...(zone === undefined ? {} : { [zoneLabel]: zone }) };
  return {
    ...(name === undefined ? {} : { name }),
    ...(Object.keys(all).length === 0 ? {} : { labels: all }),
    ...(taints === undefined ? {} : { taints }),
    ...(kubelet === undefined ? {} : { kubeletArgs: flagsIn(kubelet) }),
  };
}

function flagsIn(kubelet: Readonly<Record<string, string | number | boolean>>): string[] {
  return Object.entries(kubelet).map(([name, value]) => `${name}=${value}`);
}

/** A path in the file is relative to the file; what is no file there is the name of an image. */
function fileOrName(image: string, directory: string): string {
  const path = isAbsolute(image) ? image : resolve(directory, image);
  return existsSync(path) ? path : image;
}
