import { nodesMax, zoneLabel } from "@kintsugi/api";
import { z } from "zod";
import { argsFaults, argsIn, argsSchema } from "../program-args.ts";
import type { FieldFault } from "../setting.ts";
import { kubelet as kubeletOwner } from "./kubelet-arg.ts";
import type { NewNode } from "./new-nodes.ts";
import { findLabelProblem, findTaintProblem } from "./node-faults.ts";

/** Nodes that are alike, in the form of a topology file. */
export const NodeGroupText = z.strictObject({
  name: z.string().optional(),
  count: z.int().min(1).max(nodesMax).optional(),
  zone: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  taints: z.array(z.string()).optional(),
  kubelet: argsSchema.optional(),
});
export type NodeGroupText = z.infer<typeof NodeGroupText>;

/** Returns the faults that the schema does not find; their paths begin at the list of groups. */
export function faultsOfGroups(groups: readonly NodeGroupText[]): FieldFault[] {
  const faults = groups.flatMap((group, index) =>
    faultsOfGroup(group).map(({ path, message }) => ({ path: [index, ...path], message })),
  );
  const total = groups.reduce((sum, { count = 1 }) => sum + count, 0);
  if (total > nodesMax)
    faults.push({ path: [], message: `are ${total}, and a cluster of this host has at most ${nodesMax}` });
  return faults;
}

function faultsOfGroup({ name, count, zone, labels = {}, taints = [], kubelet = {} }: NodeGroupText): FieldFault[] {
  const faults: FieldFault[] = [];
  if (name !== undefined && count !== undefined && count > 1)
    faults.push({ path: ["count"], message: `${count} nodes cannot all have the name "${name}"` });
  if (zone !== undefined && labels[zoneLabel] !== undefined)
    faults.push({ path: ["zone"], message: `the label ${zoneLabel} sets it already` });
  const zoneFault = zone === undefined ? undefined : findLabelProblem(zoneLabel, zone);
  if (zoneFault !== undefined) faults.push({ path: ["zone"], message: zoneFault });
  for (const [key, value] of Object.entries(labels)) {
    const message = findLabelProblem(key, value);
    if (message !== undefined) faults.push({ path: ["labels", key], message });
  }
  for (const [index, taint] of taints.entries()) {
    const message = findTaintProblem(taint);
    if (message !== undefined) faults.push({ path: ["taints", index], message });
  }
  const ofKubelet = argsFaults(kubeletOwner, kubelet);
  return [...faults, ...ofKubelet.map(({ path, message }) => ({ path: ["kubelet", ...path], message }))];
}

/** The names that the nodes will have: given names, and node-N by their position. */
export function namesOfGroups(groups: readonly NodeGroupText[]): Set<string> {
  const names = groups.flatMap(({ name, count = 1 }) => Array.from({ length: count }, () => name));
  return new Set(names.length === 0 ? ["node-1", "node-2", "node-3"] : names.map((name, i) => name ?? `node-${i + 1}`));
}

/** Returns the nodes of groups without faults. */
export function nodesOfGroups(groups: readonly NodeGroupText[]): NewNode[] {
  return groups.flatMap((group) => Array.from({ length: group.count ?? 1 }, () => toNewNode(group)));
}

function toNewNode({ name, zone, labels, taints, kubelet }: NodeGroupText): NewNode {
  const all = { ...labels, ...(zone === undefined ? {} : { [zoneLabel]: zone }) };
  return {
    ...(name === undefined ? {} : { name }),
    ...(Object.keys(all).length === 0 ? {} : { labels: all }),
    ...(taints === undefined ? {} : { taints }),
    ...(kubelet === undefined ? {} : { kubeletArgs: argsIn(kubelet) }),
  };
}
