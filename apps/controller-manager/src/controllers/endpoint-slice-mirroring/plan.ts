import { type EndpointSlice, type Endpoints, sameJson, type Service, skipMirrorLabel } from "@kintsugi/api";
import { type AddressType, type EndpointGroup, portsKey } from "../../shared/service-endpoints/endpoint-group.ts";
import { fillSlices, type SliceChanges, type SliceShape } from "../../shared/service-endpoints/fill-slices.ts";
import { mirroredEndpoints, mirroredTypes } from "./mirrored-endpoints.ts";
import { isOwnMirror, mirrorAnnotations, mirrorLabels, mirrorMetadata } from "./mirror-metadata.ts";

/**
 * Endpoints with this annotation are the lock of a leader election and do not contain addresses.
 */
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";

export interface ObservedMirror {
  /** Undefined if Endpoints of the name do not exist. */
  endpoints: Endpoints | undefined;
  /** The Service of the same name. */
  service: Service | undefined;
  /** The mirroring slices of the name that are not being deleted. */
  slices: readonly EndpointSlice[];
}

export interface MirrorPlan extends SliceChanges {
  /** Addresses that are not valid IP addresses. */
  invalidCount: number;
  /** Addresses beyond the limit of mirrored addresses per subset. */
  surplusCount: number;
}

/**
 * Plans the writes that make slices mirror the Endpoints that a client wrote for a Service without
 * selector: upstream's endpointslicemirroring. A Service with a selector has slices of its pods, so
 * the mirrors of its Endpoints are removed.
 */
export function planMirror({ endpoints, service, slices }: ObservedMirror, perSubsetMax: number): MirrorPlan {
  const plan: MirrorPlan = { create: [], update: [], remove: [], invalidCount: 0, surplusCount: 0 };
  if (endpoints === undefined || !isMirrored(endpoints) || service === undefined || hasSelector(service)) {
    plan.remove.push(...slices);
    return plan;
  }
  const { groups, invalidCount, surplusCount } = mirroredEndpoints(endpoints, perSubsetMax);
  for (const type of mirroredTypes) {
    const ofType = slices.filter(({ addressType }) => addressType === type);
    planType(
      { endpoints, type, groups: groups.get(type) ?? new Map<string, EndpointGroup>(), perSubsetMax },
      ofType,
      plan,
    );
  }
  plan.remove.push(...slices.filter(({ addressType }) => !mirroredTypes.includes(addressType)));
  // The garbage collector is removing the slices; new slices wait until it has finished.
  if (endpoints.metadata.deletionTimestamp !== undefined) plan.create = [];
  return { ...plan, invalidCount, surplusCount };
}

/** Reports whether the Endpoints are mirrored, regardless of their Service. */
function isMirrored({ metadata }: Endpoints): boolean {
  return metadata.labels?.[skipMirrorLabel] !== "true" && metadata.annotations?.[leaderAnnotation] === undefined;
}

function hasSelector({ spec }: Service): boolean {
  return Object.keys(spec?.selector ?? {}).length > 0;
}

interface TypeWork {
  endpoints: Endpoints;
  type: AddressType;
  groups: ReadonlyMap<string, EndpointGroup>;
  perSubsetMax: number;
}

function planType(
  { endpoints, type, groups, perSubsetMax }: TypeWork,
  slices: readonly EndpointSlice[],
  changes: SliceChanges,
): void {
  const byPorts = new Map<string, EndpointSlice[]>();
  for (const slice of slices) {
    const key = portsKey(slice.ports);
    // A slice is removed if it belongs to earlier Endpoints of the name, or if no subset has its
    // ports.
    if (!isOwnMirror(slice, endpoints) || !groups.has(key)) changes.remove.push(slice);
    else byPorts.set(key, [...(byPorts.get(key) ?? []), slice]);
  }
  for (const [key, group] of groups) {
    const shape = shapeOf(endpoints, type, group);
    fillSlices({ group, slices: byPorts.get(key) ?? [], shape, endpointsMax: perSubsetMax }, changes);
  }
}

function shapeOf(endpoints: Endpoints, addressType: AddressType, { ports }: EndpointGroup): SliceShape {
  return {
    fresh: () => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: mirrorMetadata(endpoints),
      addressType,
      endpoints: [],
      ports,
    }),
    isCurrent: ({ metadata: { labels = {}, annotations = {} } }) =>
      sameJson(labels, mirrorLabels(endpoints)) && sameJson(annotations, mirrorAnnotations(endpoints)),
    rewritten: (slice, list) => ({
      ...slice,
      metadata: { ...slice.metadata, labels: mirrorLabels(endpoints), annotations: mirrorAnnotations(endpoints) },
      endpoints: [...list],
    }),
  };
}
