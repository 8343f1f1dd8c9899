import { celMap } from "@bufbuild/cel";

/**
 * A map of maps. Only its own keys are listed; the value of any other key is an empty map. An
 * expression can request a name in a domain without names, as in upstream's
 * newStringInterfaceMapWithDefault of k8s.io/dynamic-resource-allocation/cel.
 */
export function mapOfMaps(members: ReadonlyMap<string, ReadonlyMap<string, unknown>>): unknown {
  const known = celMap(members as never);
  const missing = celMap(new Map());
  const get: typeof known.get = (key) => known.get(key) ?? missing;
  const has: typeof known.has = (key) => known.has(key);
  return Object.create(known, { get: { value: get }, has: { value: has } });
}
