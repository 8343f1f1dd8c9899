import type { Endpoint, EndpointSlice } from "@kintsugi/api";
import { type EndpointGroup, endpointKey, isSameEndpoint } from "./endpoint-group.ts";

export interface SliceChanges {
  /** Slices without names. */
  create: EndpointSlice[];
  update: EndpointSlice[];
  remove: EndpointSlice[];
}

/** The slices of one owner, whose metadata the owner decides. */
export interface SliceShape {
  /** A new slice without endpoints. */
  fresh(): EndpointSlice;
  /** Reports whether the slice has the labels and annotations that its owner wants. */
  isCurrent(slice: EndpointSlice): boolean;
  /** The slice with these endpoints, and with the labels and annotations that its owner wants. */
  rewritten(slice: EndpointSlice, endpoints: readonly Endpoint[]): EndpointSlice;
}

interface GroupWork {
  group: EndpointGroup;
  /** The slices with the ports of the group. */
  slices: readonly EndpointSlice[];
  shape: SliceShape;
  endpointsMax: number;
}

/**
 * Adds the writes after which the slices contain the endpoints of the group. Endpoints remain in
 * their slices. New endpoints fill slices that have to be written anyway, then the one slice that
 * they fill best, then new slices.
 */
export function fillSlices({ group, slices, shape, endpointsMax }: GroupWork, changes: SliceChanges): void {
  const missing = new Map(group.endpoints);
  const unchanged: EndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  for (const slice of slices) {
    const { endpoints = [] } = slice;
    const kept = takeKept(endpoints, missing);
    const isChanged = kept.length !== endpoints.length || kept.some((next, i) => !isSameEndpoint(next, endpoints[i]!));
    if (isChanged && kept.length === 0) changes.remove.push(slice);
    else if (isChanged || !shape.isCurrent(slice)) update.push(shape.rewritten(slice, kept));
    else unchanged.push(slice);
  }
  // The fullest slices first, so that few slices remain partly filled.
  for (const slice of update.toSorted((a, b) => lengthOf(b) - lengthOf(a))) fill(slice, missing, endpointsMax);
  while (missing.size > 0) {
    const best = bestFit(unchanged, missing.size, endpointsMax);
    if (best === undefined) {
      changes.create.push(fill(shape.fresh(), missing, endpointsMax));
    } else {
      unchanged.splice(unchanged.indexOf(best), 1);
      update.push(fill(shape.rewritten(best, best.endpoints ?? []), missing, endpointsMax));
    }
  }
  changes.update.push(...update);
}

/**
 * The endpoints that remain in a slice, with their present values; they are removed from the
 * missing endpoints.
 */
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

/** The slice that has space for all endpoints, and the least space left over. */
function bestFit(slices: readonly EndpointSlice[], count: number, endpointsMax: number): EndpointSlice | undefined {
  if (count >= endpointsMax) return undefined;
  const roomy = slices.filter((slice) => lengthOf(slice) + count <= endpointsMax);
  return roomy.toSorted((a, b) => lengthOf(b) - lengthOf(a))[0];
}

export function lengthOf({ endpoints = [] }: EndpointSlice): number {
  return endpoints.length;
}
