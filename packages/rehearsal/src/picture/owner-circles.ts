import { type ApiObject, controllerOf } from "@kintsugi/api";

/** Limit on sentences of one kind. */
const circlesMax = 5;

/** Sentences about objects that own each other, which only an edited dump contains. */
export function ownerCircles(objects: ReadonlyMap<string, readonly ApiObject[]>): string[] {
  const all = new Map(
    [...objects.values()].flat().flatMap((object): [string, ApiObject][] => {
      const { uid = "" } = object.metadata;
      return uid === "" ? [] : [[uid, object]];
    }),
  );
  const told = new Set<string>();
  const circles: string[] = [];
  for (const object of all.values()) {
    const path: ApiObject[] = [];
    let next: ApiObject | undefined = object;
    while (next !== undefined && !path.includes(next) && !told.has(next.metadata.uid ?? "")) {
      path.push(next);
      next = all.get(controllerOf(next)?.uid ?? "");
    }
    for (const { metadata } of path) told.add(metadata.uid ?? "");
    if (next === undefined || !path.includes(next)) continue;
    const circle = [...path.slice(path.indexOf(next)), next];
    const words = circle.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(" → ");
    circles.push(
      `${words} own each other in a circle, so the workload of their pods is unknown: remove one ownerReference in the source`,
    );
  }
  const more = circles.length - circlesMax;
  return more <= 0 ? circles : [...circles.slice(0, circlesMax), `and ${more} more circles of owners`];
}
