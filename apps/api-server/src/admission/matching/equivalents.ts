import type { Resource } from "../../resources/resource.ts";
import { perGeneration, type Registry } from "../../resources/registry.ts";
import type { AdmissionRequest } from "../admission.ts";

/** Finds all representations of a stored resource: upstream's equivalents. */
export type FindEquivalents = (resource: Resource) => readonly Resource[];

export function createEquivalents(registry: Registry): FindEquivalents {
  const byStoreName = perGeneration(registry, () => new Map<string, readonly Resource[]>());
  return ({ storeName }) => {
    const known = byStoreName();
    let list = known.get(storeName);
    if (list === undefined) {
      known.set(storeName, (list = registry.resources.filter((each) => each.storeName === storeName)));
    }
    return list;
  };
}

/** The representations in which rules may match a request, the client's own first. */
export function candidatesOf(
  { resource, requested }: Pick<AdmissionRequest, "resource" | "requested">,
  matchPolicy: string | undefined,
  equivalents: FindEquivalents,
): readonly Resource[] {
  const all = equivalents(resource);
  const own = all.find(({ type }) => type === requested) ?? resource;
  return matchPolicy === "Exact" ? [own] : [own, ...all];
}
