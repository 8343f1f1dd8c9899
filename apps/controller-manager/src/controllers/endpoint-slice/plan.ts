import { type Endpoint, type EndpointSlice, type Node, type Pod, sameJson, type Service } from "@kintsugi/api";
import { type AddressType, type EndpointGroup, portsKey } from "../../shared/service-endpoints/endpoint-group.ts";
import {
  fillSlices,
  lengthOf,
  type SliceChanges,
  type SliceShape,
} from "../../shared/service-endpoints/fill-slices.ts";
import { addressTypesOf, desiredEndpoints } from "./desired-endpoints.ts";
import { isOwnedBy, mirrorsLabels, sliceLabels, sliceMetadata } from "./slice-metadata.ts";

export interface ObservedService {
  service: Service;
  /** The pods that the Service selects. */
  pods: readonly Pod[];
  findNode: (name: string) => Node | undefined;
  /** The slices of the Service that this controller manages and that are not being deleted. */
  slices: readonly EndpointSlice[];
}

export interface SlicePlan extends SliceChanges {
  /** Pods that are left out because their nodes are not known. */
  nodeless: Pod[];
}

/**
 * Plans the writes that make the slices of a Service match its pods. It minimizes writes because
 * every node receives each changed slice. Endpoints remain in their slices. New endpoints fill
 * slices that have to be written anyway, then the one slice that they fill best, then new slices. A
 * Service without endpoints has one empty slice.
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
  // The garbage collector is removing the slices; new slices wait until it has finished.
  if (service.metadata.deletionTimestamp !== undefined) plan.create = [];
  return plan;
}

interface Family {
  service: Service;
  addressType: AddressType;
  groups: ReadonlyMap<string, EndpointGroup>;
  slices: readonly EndpointSlice[];
}

function planFamily({ service, addressType, groups, slices }: Family, endpointsMax: number): SliceChanges {
  const changes: SliceChanges = { create: [], update: [], remove: [] };
  const byPorts = new Map<string, EndpointSlice[]>();
  for (const slice of slices) {
    const key = portsKey(slice.ports);
    // A slice is removed if it belongs to an earlier Service of the name, or if no pod has its
    // ports.
    if (!isOwnedBy(slice, service) || !groups.has(key)) changes.remove.push(slice);
    else byPorts.set(key, [...(byPorts.get(key) ?? []), slice]);
  }
  for (const [key, group] of groups) {
    const shape: SliceShape = {
      fresh: () => newSlice(service, addressType, group),
      isCurrent: (slice) => mirrorsLabels(slice, service),
      rewritten: (slice, endpoints) => rewritten(slice, service, endpoints),
    };
    fillSlices({ group, slices: byPorts.get(key) ?? [], shape, endpointsMax }, changes);
  }
  if (slices.length > changes.remove.length || changes.create.length > 0) return changes;
  const [only, ...others] = changes.remove;
  if (only !== undefined && others.length === 0 && isPlaceholder(only, service)) changes.remove = [];
  else changes.create.push(newSlice(service, addressType, { ports: [] }));
  return changes;
}

/**
 * Reuses slices that would be deleted for slices that would be created: one write instead of two.
 */
function withReuse(service: Service, { create, update, remove }: SliceChanges): SliceChanges {
  const rest: SliceChanges = { create: [...create], update: [...update], remove: [] };
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
