import { formatKey, keyOf, type Pod, type ResourceClaim } from "@kintsugi/api";
import { isReservedForPod } from "@kintsugi/rules";
import type { ClusterEvent } from "../../cluster-state/cluster-event.ts";
import { invariant } from "../../cluster-state/invariant.ts";
import type { NodeInfo } from "../../cluster-state/node-info.ts";
import { type AllocationOutcome, allocateDevices } from "../../devices/allocator/allocate.ts";
import { demandName, demandsOf } from "../../devices/allocator/demand.ts";
import { selectorMatches } from "../../devices/allocator/pool.ts";
import { type AllocationBudget, newAllocationBudget } from "../../devices/allocator/world.ts";
import type { DevicesView } from "../../devices/devices.ts";
import { type Plugin, stretch } from "../../framework/plugin.ts";
import { fits, neverFits, type Verdict } from "../../framework/verdict.ts";
import { canBeReserved, deviceClaimNames, deviceClaimsOf } from "./pod-device-claims.ts";

/** Upstream's FirstAvailableDeviceRequestMaxSize: the score of a request's first alternative. */
const alternativesMax = 8;

/**
 * Places a pod on a node with the devices of its claims, and chooses devices for claims without
 * devices. The messages are upstream's (plugins/dynamicresources).
 */
export const dynamicResources: Plugin = {
  name: "DynamicResources",
  preEnqueue: ({ pod }, { devices }) => {
    if (!hasClaims(pod)) return undefined;
    // If the kinds are not followed, the first attempt rejects the pod with the reason below.
    const because = devices.isFollowed ? deviceClaimsOf(pod, devices) : undefined;
    return typeof because === "string" ? { because } : undefined;
  },
  filter: ({ pod }, { devices }) => {
    if (!hasClaims(pod)) return "anything";
    const claims = unfollowed(pod, devices) ?? deviceClaimsOf(pod, devices);
    if (typeof claims === "string") return { because: claims };
    if (claims.length === 0) return "anything";
    const because = claims.map((claim) => whyUnusable(claim, pod, devices)).find((why) => why !== undefined);
    if (because !== undefined) return { because };
    const budget = newAllocationBudget();
    return { check: (node) => verdictOn(node, claims, { devices, budget }) };
  },
  reserve: ({ pod, key }, node, { devices }) => {
    if (!hasClaims(pod)) return undefined;
    const claims = deviceClaimsOf(pod, devices);
    invariant(typeof claims !== "string", `pod ${key} fits ${node.name}, but lacks a claim`);
    const open = claims.filter(isUnallocated);
    const outcome = allocate(node, open, { devices, budget: newAllocationBudget() });
    invariant(outcome.is === "allocated", `pod ${key} fits ${node.name}, but its claims cannot be allocated there`);
    const reservations = claims
      .filter((claim) => !isReservedForPod(claim, pod))
      .map((claim) => ({ claim, allocation: outcome.allocations[open.indexOf(claim)] }));
    return { volumes: [], claims: [], devices: reservations };
  },
  score: {
    // Alternatives are listed by preference, which is stronger than an even use of nodes.
    weight: 2,
    prepare: ({ pod }, { devices }) => {
      if (!hasClaims(pod)) return "indifferent";
      const claims = deviceClaimsOf(pod, devices);
      if (typeof claims === "string") return "indifferent";
      const open = claims.filter(isUnallocated);
      if (!open.some(hasAlternatives)) return "indifferent";
      const budget = newAllocationBudget();
      return { score: (node) => preferenceOn(node, open, { devices, budget }), rescale: (scores) => stretch(scores) };
    },
  },
  mayHelp: ({ pod }, event) => mayHelp(pod, event),
};

/** Called for every pod; for pods without claims it costs one field access. */
function hasClaims({ spec }: Pod): boolean {
  return spec?.resourceClaims !== undefined && spec.resourceClaims.length > 0;
}

/**
 * This project's rule: if the kinds are not served, a pod with claims waits, instead of running
 * without its devices.
 */
function unfollowed({ spec }: Pod, { isFollowed }: DevicesView): string | undefined {
  if (isFollowed) return undefined;
  return `devices of resourceclaim "${spec?.resourceClaims?.[0]?.name}" are not allocated by this scheduler`;
}

function isUnallocated({ status }: ResourceClaim): boolean {
  return status?.allocation === undefined;
}

function hasAlternatives({ spec }: ResourceClaim): boolean {
  return (spec.devices?.requests ?? []).some(({ firstAvailable = [] }) => firstAvailable.length > 0);
}

/** The reason why the claim in its present state does not fit any node. */
function whyUnusable(claim: ResourceClaim, pod: Pod, devices: DevicesView): string | undefined {
  if (!isUnallocated(claim)) {
    return canBeReserved(claim) || isReservedForPod(claim, pod) ? undefined : "resourceclaim in use";
  }
  if (devices.isBeingAllocated(claim.metadata.uid ?? "")) {
    return `resource claim ${formatKey(keyOf(claim))} is in the process of being allocated`;
  }
  for (const demand of (claim.spec.devices?.requests ?? []).flatMap(demandsOf)) {
    if (devices.findClass(demand.className) !== undefined) continue;
    return `request ${demandName(demand)}: device class ${demand.className} does not exist`;
  }
  return undefined;
}

interface AllocationContext {
  readonly devices: DevicesView;
  readonly budget: AllocationBudget;
}

function verdictOn(node: NodeInfo, claims: readonly ResourceClaim[], context: AllocationContext): Verdict {
  for (const { status } of claims) {
    const selector = status?.allocation?.nodeSelector;
    if (selector !== undefined && !selectorMatches(selector, node)) return neverFits({ code: "ClaimElsewhere" });
  }
  const outcome = allocate(node, claims.filter(isUnallocated), context);
  switch (outcome.is) {
    case "allocated":
      return fits;
    case "does not fit":
      return neverFits({ code: "ClaimsNotAllocatable" });
    case "fault":
      // Upstream abandons the whole attempt. Here an invalid device of one node does not affect
      // other nodes.
      return neverFits({ code: "Fault", text: outcome.because });
  }
}

function allocate(
  node: NodeInfo,
  claims: readonly ResourceClaim[],
  { devices, budget }: AllocationContext,
): AllocationOutcome {
  if (claims.length === 0) return { is: "allocated", allocations: [], ranks: [] };
  const { inUse, selectors } = devices;
  const findClass = (name: string) => devices.findClass(name);
  return allocateDevices(claims, { node, pools: devices.poolsFor(node), inUse, selectors, findClass }, budget);
}

/** The better the node's alternatives are, the higher the score. */
function preferenceOn(node: NodeInfo, claims: readonly ResourceClaim[], context: AllocationContext): number {
  const outcome = allocate(node, claims, context);
  if (outcome.is !== "allocated") return 0;
  return outcome.ranks.reduce((sum, rank) => sum + alternativesMax - rank, 0);
}

function mayHelp(pod: Pod, event: ClusterEvent): boolean {
  if (!hasClaims(pod)) return false;
  switch (event.is) {
    case "ResourceClaimAdd":
    case "ResourceClaimUpdate":
    case "ResourceClaimDelete": {
      // Any claim may need the freed devices.
      if (event.is !== "ResourceClaimAdd" && event.freed !== undefined) return true;
      const { namespace, name = "" } = event.claim.metadata;
      return namespace === pod.metadata.namespace && deviceClaimNames(pod).includes(name);
    }
    case "DeviceClassAdd":
    case "DeviceClassUpdate":
    case "ResourceSliceAdd":
    case "ResourceSliceUpdate":
    case "ResourceSliceDelete":
    case "NodeAdd":
      return true;
    case "NodeUpdate":
      return event.changed.labels || event.changed.taints;
    default:
      return false;
  }
}
