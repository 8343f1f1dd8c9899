import { countedNoun, isPodTerminal, type Pod, podRequests } from "@kintsugi/api";
import { ClusterState, defaultPlugins, filterNodes, podInfoOf, type RejectionReason } from "@kintsugi/scheduling";
import type { Remedy } from "../explanation.ts";
import { kintsugiCommand, kubectlCommand, slashed } from "../words/commands.ts";
import { grouped } from "../words/grouped.ts";
import { editedOwner } from "../words/owner.ts";
import { aboutObject, listed, singleLine } from "../words/phrases.ts";
import { amountText } from "../words/amounts.ts";
import { listOf, type World } from "../world.ts";
import { rejectionOfNode } from "./rejection-of-node.ts";

export interface NodeVerdicts {
  /** One sentence. */
  readonly because: string;
  /** A line for each group of nodes with the same reason. */
  readonly details: readonly string[];
  readonly remedies: readonly Remedy[];
}

/**
 * Runs the scheduler's own filters to find why each node rejects the pod. Undefined if the nodes or
 * the pods of all namespaces were not read: the explanation then uses the scheduler's message.
 */
export function nodeVerdicts(pod: Pod, world: World): NodeVerdicts | undefined {
  if (world.objects.nodes === undefined || !world.hasAllPods) return undefined;
  if (world.objects.nodes.length === 0) {
    return {
      because: "The cluster has no nodes.",
      details: [],
      remedies: [{ does: "Join a machine", command: kintsugiCommand("join", "--help") }],
    };
  }
  const state = stateOf(world);
  // Devices are not checked here, because only the scheduler evaluates the selectors of claims.
  const claimsDevices = (pod.spec?.resourceClaims ?? []).length > 0;
  const filtered = filterNodes(podInfoOf(pod), state, {
    plugins: claimsDevices ? defaultPlugins.filter(({ name }) => name !== "DynamicResources") : defaultPlugins,
    timed: (_, work) => work(),
  });
  const { feasible } = filtered;
  if (feasible.length > 0 && claimsDevices) return undefined;
  if (feasible.length > 0) {
    const names = listed(feasible.map(({ name }) => name));
    return {
      because: `${names} ${feasible.length === 1 ? "is" : "are"} suitable now; the scheduler is about to bind it.`,
      details: [],
      remedies: [],
    };
  }
  const rejections = filtered.rejections();
  if (rejections.podBecause !== undefined) {
    return { because: `No node can run it: ${singleLine(rejections.podBecause)}.`, details: [], remedies: [] };
  }
  const reasons = [...rejections.byNode].map(([node, { because }]) => ({
    node,
    because: because.map(rejectionOfNode),
  }));
  const groups = grouped(reasons, ({ because }) => because.join(", "));
  const details = [...groups].map(([because, members]) => `${listed(members.map(({ node }) => node))}: ${because}`);
  const { passedOver } = rejections;
  if (passedOver !== undefined) details.push(`${countedNoun(passedOver.count, "other node")}: the pod names its node`);
  const all = [...rejections.byNode.values()].flatMap(({ because }) => because);
  const total = world.objects.nodes.length;
  return {
    because: noNodeText(total),
    details: [...details, ...roomLines(pod, state, rejections.byNode)],
    remedies: remediesFor(pod, world, { reasons: all, byNode: rejections.byNode }),
  };
}

/**
 * One state for all pods of an explanation, because a cluster may have tens of thousands of pods.
 */
const states = new WeakMap<World, ClusterState>();

/** The cluster in the scheduler's view: bound pods that have not ended use resources. */
function stateOf(world: World): ClusterState {
  const known = states.get(world);
  if (known !== undefined) return known;
  const state = new ClusterState();
  for (const node of listOf(world, "nodes")) state.putNode(node);
  for (const namespace of listOf(world, "namespaces")) state.putNamespace(namespace);
  for (const claim of listOf(world, "persistentvolumeclaims")) state.storage.putClaim(claim);
  for (const volume of listOf(world, "persistentvolumes")) state.storage.putVolume(volume);
  for (const storageClass of listOf(world, "storageclasses")) state.storage.putClass(storageClass);
  for (const csiNode of listOf(world, "csinodes")) state.storage.putCsiNode(csiNode);
  for (const attachment of listOf(world, "volumeattachments")) state.storage.putAttachment(attachment);
  for (const pod of listOf(world, "pods")) {
    const node = pod.spec?.nodeName ?? "";
    if (node !== "" && !isPodTerminal(pod)) state.putPod(podInfoOf(pod), node);
  }
  states.set(world, state);
  return state;
}

/** The rejections that other placement rules of the pod would avoid. */
const placementCodes = [
  "NodeAffinity",
  "PodAffinity",
  "PodAntiAffinity",
  "ExistingAntiAffinity",
  "VolumeElsewhere",
  "TopologySpread",
  "TopologyLabelMissing",
] as const satisfies readonly RejectionReason["code"][];

type ByNode = ReadonlyMap<string, { readonly because: readonly RejectionReason[] }>;

function noNodeText(total: number): string {
  if (total === 1) return "The only node does not fit.";
  return total === 2 ? "Neither of the 2 nodes fits." : `None of the ${total} nodes fits.`;
}

/** The demand and the largest free amount among the nodes that are short of the resource. */
function roomLines(pod: Pod, state: ClusterState, byNode: ByNode): string[] {
  const requests = podRequests(pod);
  const short = grouped(
    [...byNode].flatMap(([node, { because }]) =>
      because.map((reason) => ({ node, resource: reason.code === "Insufficient" ? reason.resource : undefined })),
    ),
    ({ resource }) => resource,
  );
  return [...short].flatMap(([resource, members]) => {
    if (resource === undefined) return [];
    const free = members.map(({ node }) => ({ node, amount: freeOn(state, node, resource) }));
    const most = free.reduce((a, b) => (b.amount > a.amount ? b : a));
    const asked = amountText(resource, requests[resource] ?? 0);
    const left = amountText(resource, Math.max(0, most.amount));
    return [
      `the pod requests ${asked} of ${singleLine(resource)}; the largest free amount is ${left}, on ${most.node}`,
    ];
  });
}

function freeOn(state: ClusterState, name: string, resource: string): number {
  const node = state.find(name);
  return (node?.allocatable[resource] ?? 0) - (node?.requested[resource] ?? 0);
}

function remediesFor(
  pod: Pod,
  world: World,
  { reasons, byNode }: { reasons: readonly RejectionReason[]; byNode: ByNode },
): Remedy[] {
  const about = aboutObject("Pod", pod);
  const target = slashed(editedOwner(pod, world) ?? about);
  const edit = kubectlCommand(about.namespace, "edit", target);
  const remedies: Remedy[] = [];
  const has = (...codes: RejectionReason["code"][]) => reasons.some(({ code }) => codes.includes(code));
  const cordoned = [...byNode].find(([, { because }]) => because.some(({ code }) => code === "Unschedulable"))?.[0];
  if (cordoned !== undefined)
    remedies.push({ does: "Uncordon a node", command: kintsugiCommand("uncordon", cordoned) });
  if (has("Insufficient")) remedies.push({ does: "Request less, or remove other pods", command: edit });
  if (has("UntoleratedTaint")) remedies.push({ does: "Tolerate the taint, or remove it from a node", command: edit });
  if (has(...placementCodes))
    remedies.push({ does: "Change its selector, affinity or spread constraints", command: edit });
  return remedies;
}
