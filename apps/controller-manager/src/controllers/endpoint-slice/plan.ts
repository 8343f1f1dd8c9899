import { type Endpoint, type EndpointSlice, type Node, type Pod, sameJson, type Service } from "@kintsugi/api";
import {
  addressTypesOf,
  type AddressType,
  desiredEndpoints,
  type EndpointGroup,
  endpointKey,
  isSameEndpoint,
  portsKey,
} from "./desired-endpoints.ts";
import { isOwnedBy, mirrorsLabels, sliceLabels, sliceMetadata } from "./slice-metadata.ts";

export interface ObservedService {
  service: Service;
  /** The pods that the Service selects. */
  pods: readonly Pod[];
  findNode: (name: string) => Node | undefined;
  /** The slices that this controller keeps for the Service and that are not being deleted. */
  slices: readonly EndpointSlice[];
}

interface Changes {
  /** Slices without names. */
  create: EndpointSlice[];
  update: EndpointSlice[];
  remove: EndpointSlice[];
}

export interface SlicePlan extends Changes {
  /** Pods that are left out because nothing is known of their nodes. */
  nodeless: Pod[];
}

/**
 * Plans the writes after which the slices of a Service match its pods, with few writes: every node
 * gets a slice anew whenever it changes. Endpoints stay where they are; new ones fill slices that
 * have to be written anyway, then the one slice that they fill best, then new slices. A Service
 * without endpoints has one slice that is empty.
 */
export function planEndpointSlices(
  { service, pods, findNode, slices }: ObservedService,
  { endpointsPerSliceMax }: { endpointsPerSliceMax: number },
): SlicePlan {
  const addressTypes = addressTypesOf(service);
  const plan: SlicePlan = { create: [], update: [], remove: [], nodeless: [] };
  for (const addressType of addressTypes) {
    const { groups, nodeless } = desiredEndpoints(service, addressType, { pods, findNode });
    const ofType = slices.filter((slice) => slice.addressType === addressType);
    const changes = planFamily({ service, addressType, groups, slices: ofType }, endpointsPerSliceMax);
    const reused = withReuse(service, changes);
    plan.create.push(...reused.create);
    plan.update.push(...reused.update);
    plan.remove.push(...reused.remove);
    plan.nodeless.push(...nodeless.filter((pod) => !plan.nodeless.includes(pod)));
  }
  plan.remove.push(...slices.filter(({ addressType }) => !addressTypes.includes(addressType)));
  // The garbage collector is taking the slices away: none is made meanwhile.
  if (service.metadata.deletionTimestamp !== undefined) plan.create = [];
  return plan;
}

interface Family {
  service: Service;
  addressType: AddressType;
  groups: ReadonlyMap<string, EndpointGroup>;
  slices: readonly EndpointSlice[];
}

function planFamily({ service, addressType, groups, slices }: Family, endpointsMax: number): Changes {
  const changes: Changes = { create: [], update: [], remove: [] };
  const byPorts = new Map<string, EndpointSlice[]>();
  for (const slice of slices) {
    const key = portsKey(slice.ports);
    // A slice goes that belongs to an earlier Service of the name, or has ports that no pod has.
    if (!isOwnedBy(slice, service) || !groups.has(key)) changes.remove.push(slice);
    else byPorts.set(key, [...(byPorts.get(key) ?? []), slice]);
  }
  for (const [key, group] of groups) {
    const fresh = () => newSlice(service, addressType, group);
    planGroup(service, { group, slices: byPorts.get(key) ?? [], fresh, changes }, endpointsMax);
  }
  if (slices.length > changes.remove.length || changes.create.length > 0) return changes;
  const [only, ...others] = changes.remove;
  if (only !== undefined && others.length === 0 && isPlaceholder(only, service)) changes.remove = [];
  else changes.create.push(newSlice(service, addressType, { ports: [] }));
  return changes;
}

interface GroupWork {
  group: EndpointGroup;
  /** The slices with these ports. */
  slices: readonly EndpointSlice[];
  fresh: () => EndpointSlice;
  changes: Changes;
}

function planGroup(service: Service, { group, slices, fresh, changes }: GroupWork, endpointsMax: number): void {
  const missing = new Map(group.endpoints);
  const unchanged: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  for (const slice of slices) {
    const { endpoints = [] } = slice;
    const kept = takeKept(endpoints, missing);
    const isChanged = kept.length !== endpoints.length || kept.some((next, i) => !isSameEndpoint(next, endpoints[i]!));
    if (isChanged && kept.length === 0) changes.remove.push(slice);
    else if (isChanged || !mirrorsLabels(slice, service)) update.push(rewritten(slice, service, kept));
    else unchanged.push(slice);
  }
  // The fullest first, so that few slices are left with room.
  for (const slice of update.toSorted((a, b) => lengthOf(b) - lengthOf(a))) fill(slice, missing, endpointsMax);
  while (missing.size > 0) {
    const best = bestFit(unchanged, missing.size, endpointsMax);
    if (best === undefined) {
      changes.create.push(fill(fresh(), missing, endpointsMax));
    } else {
      unchanged.splice(unchanged.indexOf(best), 1);
      update.push(fill(rewritten(best, service, best.endpoints ?? []), missing, endpointsMax));
    }
  }
  changes.update.push(...update);
}

/** The endpoints of a slice that are to stay, as they are by now; they are not missing any more. */
function takeKept(endpoints: readonly Endpoint[], missing: Map<string, Endpoint>): Endpoint[] {
  const kept: Endpoint[] = [];
  for (const endpoint of endpoints) {
    const key = endpointKey(endpoint);
    const wanted = missing.get(key);
    if (wanted === undefined) continue;
    kept.push(wanted);
    missing.delete(key);
  }
  return kept;
}

function fill(slice: EndpointSlice, missing: Map<string, Endpoint>, endpointsMax: number): EndpointSlice {
  const endpoints = (slice.endpoints ??= []);
  for (const [key, endpoint] of missing) {
    if (endpoints.length >= endpointsMax) break;
    endpoints.push(endpoint);
    missing.delete(key);
  }
  return slice;
}

/** The slice that has room for all of them, and the least left over then. */
function bestFit(slices: readonly EndpointSlice[], count: number, endpointsMax: number): EndpointSlice | undefined {
  if (count >= endpointsMax) return undefined;
  const roomy = slices.filter((slice) => lengthOf(slice) + count <= endpointsMax);
  return roomy.toSorted((a, b) => lengthOf(b) - lengthOf(a))[0];
}

/**
 * Turns slices that would be removed into those that would be created: one write in place of two.
 */
function withReuse(service: Service, { create, update, remove }: Changes): Changes {
  const rest: Changes = { create: [...create], update: [...update], remove: [] };
  for (const slice of remove) {
    const fresh = isOwnedBy(slice, service) ? rest.create.pop() : undefined;
    if (fresh === undefined) {
      rest.remove.push(slice);
      continue;
    }
    const { labels, ownerReferences } = fresh.metadata;
    const { annotations: _, ...metadata } = slice.metadata;
    rest.update.push({ ...fresh, metadata: { ...metadata, labels, ownerReferences } });
  }
  return rest;
}

function newSlice(service: Service, addressType: AddressType, { ports }: Pick<EndpointGroup, "ports">): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: sliceMetadata(service),
    addressType,
    endpoints: [],
    ports,
  };
}

function rewritten(slice: EndpointSlice, service: Service, endpoints: readonly Endpoint[]): EndpointSlice {
  return {
    ...slice,
    metadata: { ...slice.metadata, labels: sliceLabels(service) },
    endpoints: [...endpoints],
  };
}

function isPlaceholder(slice: EndpointSlice, service: Service): boolean {
  const isEmpty = lengthOf(slice) === 0 && (slice.ports ?? []).length === 0;
  return isEmpty && isOwnedBy(slice, service) && sameJson(slice.metadata.labels, sliceLabels(service));
}

function lengthOf({ endpoints = [] }: EndpointSlice): number {
  return endpoints.length;
}
