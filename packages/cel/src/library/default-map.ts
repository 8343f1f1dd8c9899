import { celMap } from "@bufbuild/cel";

/**
 * A map of maps in which every key has a value, an empty map at least, but that has only its own
 * keys: an expression can request a name in a domain that has none, as upstream
 * (newStringInterfaceMapWithDefault of k8s.io/dynamic-resource-allocation/cel).
 */
export function mapOfMaps(members: ReadonlyMap<string, ReadonlyMap<string, unknown>>): unknown {
  const known = celMap(members as never);
  const missing = celMap(new Map());
  const get: typeof known.get = (key) => known.get(key) ?? missing;
  const has: typeof known.has = (key) => known.has(key);
  return Object.create(known, { get: { value: get }, has: { value: has } });
}
