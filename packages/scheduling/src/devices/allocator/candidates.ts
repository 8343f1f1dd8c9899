import { type DeviceClass, formatKey, keyOf, type ResourceClaim } from "@kintsugi/api";
import type { AllocationBudget, AllocationWorld } from "./world.ts";
import { type CapacityAmounts, hasRoomFor, shareOf } from "./capacity.ts";
import { type DeviceDemand, demandName, demandsOf, toleratesTaints } from "./demand.ts";
import type { PooledDevice } from "./pool.ts";
import type { OwnedExpression } from "./selectors.ts";

/** A device that a demand may take, considered without other demands. */
export interface Candidate {
  readonly device: PooledDevice;
  readonly share: CapacityAmounts;
}

/** One alternative of a request, with all candidate devices. */
export interface PreparedDemand {
  readonly demand: DeviceDemand;
  readonly deviceClass: DeviceClass;
  /** The number of required devices; with "all" it is the number of candidates. */
  readonly count: number;
  readonly candidates: readonly Candidate[];
}

export interface ClaimDemands {
  readonly claim: ResourceClaim;
  /** The alternatives of each request, in their order. */
  readonly requests: readonly (readonly PreparedDemand[])[];
}

/** Upstream's AllocationResultsMaxSize: the most devices of a claim. */
export const resultsMax = 32;

type Fault = { readonly because: string };

/** Finds the candidates of all demands. The messages are upstream's. */
export function prepareDemands(
  claims: readonly ResourceClaim[],
  world: AllocationWorld,
  budget: AllocationBudget,
): { readonly claims: readonly ClaimDemands[] } | Fault {
  const prepared: ClaimDemands[] = [];
  for (const claim of claims) {
    const requests: PreparedDemand[][] = [];
    let leastDevices = 0;
    for (const request of claim.spec.devices?.requests ?? []) {
      const alternatives: PreparedDemand[] = [];
      for (const demand of demandsOf(request)) {
        const made = prepareDemand(demand, { claim, world, budget });
        if ("because" in made) return made;
        alternatives.push(made);
      }
      leastDevices += Math.min(...alternatives.map(({ count }) => count));
      requests.push(alternatives);
    }
    if (leastDevices > resultsMax) {
      const because = `claim ${nameOf(claim)}: number of requested devices ${leastDevices} exceeds the claim limit of ${resultsMax}`;
      return { because };
    }
    prepared.push({ claim, requests });
  }
  return { claims: prepared };
}

interface DemandContext {
  readonly claim: ResourceClaim;
  readonly world: AllocationWorld;
  readonly budget: AllocationBudget;
}

function prepareDemand(demand: DeviceDemand, context: DemandContext): PreparedDemand | Fault {
  const { claim, world } = context;
  const about = `claim ${nameOf(claim)}, request ${demandName(demand)}`;
  const deviceClass = world.findClass(demand.className);
  if (deviceClass === undefined) {
    return { because: `${about}: could not retrieve device class ${demand.className}` };
  }
  const selectors = [
    ...selectorsOf(`class ${demand.className}`, "", (deviceClass.spec.selectors ?? []).map(expressionOf)),
    ...selectorsOf(`claim ${nameOf(claim)}`, claim.metadata.namespace ?? "", demand.selectors),
  ];
  const filter: CandidateFilter = {
    ...context,
    demand,
    selectors,
    asksCapacity: Object.keys(demand.capacity).length > 0,
  };
  const candidates: Candidate[] = [];
  for (const { pool, devices } of world.pools) {
    if (pool.state !== "complete") {
      if (!demand.wantsAll) continue;
      const state = pool.state === "invalid" ? "invalid" : "being updated";
      const which = `resource pool ${pool.driver}/${pool.name} is currently ${state}`;
      return { because: `${about}: asks for all devices, but ${which}` };
    }
    for (const device of devices) {
      const candidate = candidateFor(device, filter);
      if (candidate === undefined) continue;
      if ("because" in candidate) return candidate;
      candidates.push(candidate);
    }
  }
  return { demand, deviceClass, count: demand.wantsAll ? candidates.length : demand.count, candidates };
}

/** The checks that make a device a candidate of one demand. */
interface CandidateFilter extends DemandContext {
  readonly demand: DeviceDemand;
  readonly asksCapacity: boolean;
  /** The expressions of the class, then the expressions of the request. */
  readonly selectors: readonly SourcedSelector[];
}

interface SourcedSelector extends OwnedExpression {
  /** "class gpu: selector #0". */
  readonly source: string;
}

function selectorsOf(whose: string, owner: string, expressions: readonly string[]): SourcedSelector[] {
  return expressions.map((expression, index) => ({ source: `${whose}: selector #${index}`, owner, expression }));
}

/** Validation rejects selectors without an expression. */
function expressionOf({ cel }: { cel?: { expression: string } | undefined }): string {
  return cel?.expression ?? "";
}

/**
 * The device as a candidate. If all devices are requested, devices in use are candidates too,
 * because otherwise not all would be allocated.
 */
function candidateFor(device: PooledDevice, filter: CandidateFilter): Candidate | Fault | undefined {
  const { demand, claim, budget } = filter;
  const { inUse } = filter.world;
  if (--budget.costLeft < 0) return { because: `claim ${nameOf(claim)}: ${tooCostly}` };
  if (!demand.wantsAll && !demand.isAdmin && inUse.isTaken(device.id)) return undefined;
  // The scheduler does not wait for binding conditions of drivers.
  if (device.device.bindingConditions !== undefined && device.device.bindingConditions.length > 0) return undefined;
  const selected = isSelected(device, filter);
  if (selected !== true) return selected === false ? undefined : selected;
  const share = device.isShareable || filter.asksCapacity ? shareOf(device, demand) : nothing;
  if (share === undefined) return undefined;
  if (demand.wantsAll) return { device, share };
  if (!toleratesTaints(device.device.taints, demand)) return undefined;
  if (device.isShareable && !demand.isAdmin && !hasRoomFor(share, device, inUse.sharesOf(device.id))) return undefined;
  return { device, share };
}

/** A device that is not shared is taken as a whole. */
const nothing: CapacityAmounts = new Map();

function isSelected(device: PooledDevice, { selectors, world, budget }: CandidateFilter): boolean | Fault {
  for (const selector of selectors) {
    const { source } = selector;
    const verdict = world.selectors.verdict(selector, device, budget);
    if (verdict === "exhausted") return { because: `${source}: ${tooCostly}` };
    if (typeof verdict === "object") return { because: `${source} on device ${device.id}: ${verdict.fault}` };
    if (!verdict) return false;
  }
  return true;
}

/** This project's limit: upstream has limits for one expression and one device only. */
export const tooCostly = "the requests of the pod's claims cost too much together, use fewer or simpler selectors";

function nameOf(claim: ResourceClaim): string {
  return formatKey(keyOf(claim));
}
