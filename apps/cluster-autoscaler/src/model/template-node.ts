import {
  bytesQuantity,
  type CSINode,
  type DaemonSet,
  milliQuantity,
  type Node,
  type Pod,
  type Taint,
  hostnameLabel,
  zoneLabel,
} from "@kintsugi/api";
import type { NodeGroup } from "@kintsugi/cloud";
import { judgeEligibility, withDaemonTolerations } from "@kintsugi/rules";
import { isReady, type World } from "./world.ts";

/** Taints that a new node has only for a while. */
const passing = /^node\.kubernetes\.io\/|^node\.cloudprovider\.kubernetes\.io\/|ClusterAutoscaler$/;

/**
 * Returns a node as the group would create it: like a ready node of the group, or like its last
 * ready node, or else as the cloud describes it, with the labels that all nodes share. A wrong
 * description can order only one machine, because that machine shows afterwards that the pods do
 * not fit.
 */
export function templateNode(
  group: NodeGroup,
  name: string,
  { nodes, samples }: { nodes: readonly Node[]; samples: ReadonlyMap<string, Node> },
): Node {
  const sample = findSample(group, nodes) ?? samples.get(group.name);
  const made = sample === undefined ? described(group, nodes) : likeSample(sample);
  const labels = { ...made.metadata.labels, [hostnameLabel]: name };
  return { ...made, metadata: { name, uid: `uid-of-${name}`, labels } };
}

/**
 * Returns the storage drivers that a node of the group would have, with their limits: the drivers
 * of a ready node of the group, or else the drivers that run on every node.
 */
export function templateCsiNode(
  group: NodeGroup,
  name: string,
  { nodes, csiNodes }: Pick<World, "nodes" | "csiNodes">,
): CSINode | undefined {
  const sample = findSample(group, nodes);
  const driversOf = (nodeName = "") => csiNodes.find(({ metadata }) => metadata.name === nodeName)?.spec.drivers ?? [];
  const [first, ...others] = nodes.filter(isReady).map(({ metadata }) => driversOf(metadata.name));
  const shared = (first ?? []).filter((driver) =>
    others.every((list) => list.some((each) => each.name === driver.name)),
  );
  const drivers = sample === undefined ? shared : driversOf(sample.metadata.name);
  if (drivers.length === 0) return undefined;
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name },
    spec: { drivers: drivers.map((driver) => ({ ...driver, nodeID: name })) },
  };
}

/** Returns the samples, updated from groups that currently have a ready node. */
export function updatedSamples(
  groups: readonly NodeGroup[],
  nodes: readonly Node[],
  before: ReadonlyMap<string, Node>,
): ReadonlyMap<string, Node> {
  return new Map(
    groups.flatMap((group): [string, Node][] => {
      const sample = findSample(group, nodes) ?? before.get(group.name);
      return sample === undefined ? [] : [[group.name, sample]];
    }),
  );
}

function findSample({ machines }: NodeGroup, nodes: readonly Node[]): Node | undefined {
  return nodes.find((node) => isReady(node) && machines.includes(node.spec?.providerID ?? ""));
}

function likeSample({ metadata, spec, status }: Node): Node {
  const taints = (spec?.taints ?? []).filter(({ key }) => !passing.test(key));
  const { allocatable = {}, capacity = {} } = status ?? {};
  return {
    metadata: { labels: { ...metadata.labels } },
    spec: taints.length === 0 ? {} : { taints },
    status: { allocatable, capacity },
  };
}

function described({ template }: NodeGroup, nodes: readonly Node[]): Node {
  const allocatable = {
    cpu: milliQuantity(template.cpuMillicores),
    memory: bytesQuantity(template.memoryBytes),
    pods: String(template.podsMax),
    ...sharedAmounts(nodes),
  };
  const taints = template.taints.map(parseTaint);
  return {
    metadata: {
      labels: {
        ...sharedLabels(nodes),
        "node.kubernetes.io/instance-type": template.instanceType,
        [zoneLabel]: template.zone,
        ...template.labels,
      },
    },
    spec: taints.length === 0 ? {} : { taints },
    status: { allocatable, capacity: allocatable },
  };
}

/** The cloud does not describe disks; all machines here have the same disks. */
function sharedAmounts(nodes: readonly Node[]): Record<string, string> {
  const [first] = nodes;
  const disk = first?.status?.allocatable?.["ephemeral-storage"];
  return disk === undefined ? {} : { "ephemeral-storage": disk };
}

/** Labels that every node has with one value: operating system, architecture, topology of disks. */
function sharedLabels(nodes: readonly Node[]): Record<string, string> {
  const [first, ...others] = nodes;
  const labels = Object.entries(first?.metadata.labels ?? {});
  return Object.fromEntries(
    labels.filter(
      ([key, value]) => key !== hostnameLabel && others.every(({ metadata }) => metadata.labels?.[key] === value),
    ),
  );
}

/** "key=value:effect", which the cloud has checked. */
function parseTaint(text: string): Taint {
  const [rest = "", effect = "NoSchedule"] = text.split(":");
  const [key = "", value = ""] = rest.split("=");
  return { key, ...(value === "" ? {} : { value }), effect: effect as Taint["effect"] };
}

/** Returns the pods of DaemonSets that a new node has before any other. */
export function daemonPods(node: Node, daemonSets: readonly DaemonSet[]): Pod[] {
  return daemonSets.flatMap((set) => {
    const template = set.spec?.template;
    if (template?.spec === undefined || !judgeEligibility(template, node).run) return [];
    const { namespace = "", name = "" } = set.metadata;
    const uid = `${set.metadata.uid}-on-${node.metadata.name}`;
    return [
      {
        metadata: {
          name: `${name}-on-${node.metadata.name}`,
          namespace,
          uid,
          labels: { ...template.metadata?.labels },
        },
        spec: { ...template.spec, tolerations: withDaemonTolerations(template.spec) },
      } as Pod,
    ];
  });
}
