import {
  type AllocationResult,
  type DeviceRequestAllocationResult,
  formatQuantity,
  type NodeSelector,
  type NodeSelectorRequirement,
  sameJson,
} from "@kintsugi/api";
import type { ClaimDemands } from "./candidates.ts";
import { concerns, demandName } from "./demand.ts";
import type { DeviceNode } from "./pool.ts";
import type { Taken } from "./search.ts";

type Configurations = NonNullable<NonNullable<AllocationResult["devices"]>["config"]>;

/** The allocation of a claim as in its status. */
export function resultOf(prepared: ClaimDemands, taken: readonly Taken[], node: DeviceNode): AllocationResult {
  const { uid = "" } = prepared.claim.metadata;
  const config = configurationsOf(prepared, taken);
  const nodeSelector = nodeSelectorOf(taken, node);
  return {
    devices: {
      results: taken.map((each, index) => deviceResult(each, shareIdOf(uid, index))),
      ...(config.length === 0 ? {} : { config }),
    },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  };
}

function deviceResult({ device, share, of }: Taken, shareID: string): DeviceRequestAllocationResult {
  const { demand } = of;
  const consumed = [...share].map(([name, nanos]) => [name, formatQuantity({ nanos, format: "BinarySI" })] as const);
  return {
    request: demandName(demand),
    driver: device.pool.driver,
    pool: device.pool.name,
    device: device.device.name,
    ...(demand.isAdmin ? { adminAccess: true } : {}),
    ...(demand.tolerations.length === 0 ? {} : { tolerations: [...demand.tolerations] }),
    ...(device.isShareable
      ? { shareID, ...(consumed.length === 0 ? {} : { consumedCapacity: Object.fromEntries(consumed) }) }
      : {}),
  };
}

/**
 * An identifier that is unique to the share: the claim's own UID, with the last digits changed by
 * the index of the share in the claim. It is derived from the UID, because decisions are
 * deterministic.
 */
function shareIdOf(uid: string, index: number): string {
  const last = Number.parseInt(uid.slice(-2), 16);
  const changed = ((Number.isNaN(last) ? 0 : last) ^ (index + 1)).toString(16).padStart(2, "0");
  return `${uid.slice(0, -2)}${changed}`;
}

/** The configurations of the classes, each once, and then the claim's configurations. */
function configurationsOf({ claim, requests }: ClaimDemands, taken: readonly Taken[]): Configurations {
  const chosen = new Set(taken.map(({ of }) => of));
  const ofClasses = new Map<string, { requests: string[]; config: Configurations }>();
  for (const each of requests.flatMap((alternatives) => alternatives.filter((one) => chosen.has(one)))) {
    const { metadata, spec } = each.deviceClass;
    const known = ofClasses.get(metadata.name ?? "") ?? { requests: [], config: [] };
    known.requests.push(demandName(each.demand));
    known.config = (spec.config ?? []).map((one) => ({ ...one, source: "FromClass", requests: known.requests }));
    ofClasses.set(metadata.name ?? "", known);
  }
  const ofClaim = (claim.spec.devices?.config ?? [])
    .filter(({ requests: names }) => [...chosen].some(({ demand }) => concerns(names, demand)))
    .map((one) => ({ ...one, source: "FromClaim", requests: one.requests ?? [] }));
  return [...[...ofClasses.values()].flatMap(({ config }) => config), ...ofClaim].map(
    ({ requests: names = [], ...one }) =>
      // An empty list of names represents all requests.
      names.length === 0 || names.filter((name) => !name.includes("/")).length === requests.length
        ? one
        : { ...one, requests: [...names] },
  );
}

/** The nodes on which the devices can be used; undefined for all nodes. */
function nodeSelectorOf(taken: readonly Taken[], node: DeviceNode): NodeSelector | undefined {
  const matchFields: NodeSelectorRequirement[] = [];
  const matchExpressions: NodeSelectorRequirement[] = [];
  for (const { device } of taken) {
    const { reach } = device;
    if (reach.on === "node" || device.device.bindsToNode === true) {
      const onNode: NodeSelectorRequirement = { key: "metadata.name", operator: "In", values: [node.name] };
      return { nodeSelectorTerms: [{ matchFields: [onNode] }] };
    }
    if (reach.on !== "selected") continue;
    // Slices have exactly one term. All its requirements hold on the node.
    const [term] = reach.selector.nodeSelectorTerms;
    addNew(matchFields, term?.matchFields);
    addNew(matchExpressions, term?.matchExpressions);
  }
  if (matchFields.length + matchExpressions.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      {
        ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
        ...(matchFields.length === 0 ? {} : { matchFields }),
      },
    ],
  };
}

function addNew(to: NodeSelectorRequirement[], from: readonly NodeSelectorRequirement[] = []): void {
  for (const one of from) if (!to.some((known) => sameJson(known, one))) to.push(one);
}
