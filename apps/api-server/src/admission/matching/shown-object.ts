import type { KubeObject, Resource } from "../../resources/resource.ts";

/** Only the object itself has versions; the bodies of other subresources have one form each. */
const versioned = new Set(["", "status", "scale"]);

/** Shows a stored object in the version that a webhook or policy knows. */
export function shownAs(resource: Resource, object: KubeObject | undefined, subresource: string) {
  if (object === undefined || resource.view === undefined || !versioned.has(subresource)) return object;
  return resource.view.fromStored(object);
}

/** Turns what a webhook or policy left into the stored representation. */
export function storedFrom(resource: Resource, object: KubeObject, subresource: string): KubeObject {
  return resource.view === undefined || !versioned.has(subresource) ? object : resource.view.toStored(object);
}
