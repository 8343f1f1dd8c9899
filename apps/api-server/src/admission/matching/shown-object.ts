import { describeSchema, Scale, scale as scaleType, type TypeDescription } from "@kintsugi/api";
import { decodeLeft } from "../../request/decode-left.ts";
import type { KubeObject, Resource } from "../../resources/resource.ts";
import { scaleOf, withReplicas } from "./scale-form.ts";

/** Only the object itself has versions; the bodies of other subresources each have one form. */
const versioned = new Set(["", "status"]);

const scaleForm = { type: scaleType, schema: Scale, description: describeSchema(Scale) };

/**
 * Shows a stored object in the version that a webhook or policy requests. A write of a scale
 * changes the parent object, but is shown as the Scale that the client sent.
 */
export function shownAs(resource: Resource, object: KubeObject | undefined, subresource: string) {
  if (object === undefined) return undefined;
  // Fields that a client left out are absent, as they are in JSON.
  if (subresource === "scale") return JSON.parse(JSON.stringify(scaleOf(scaledBy(resource), object))) as KubeObject;
  if (resource.view === undefined || !versioned.has(subresource)) return object;
  return resource.view.fromStored(object);
}

/**
 * Converts the object that a webhook or policy made of `object` to the stored representation.
 * @throws ApiError when the result has no valid scale.
 */
export function storedFrom(
  resource: Resource,
  left: KubeObject,
  { object, subresource }: { object: KubeObject | undefined; subresource: string },
): KubeObject {
  if (subresource === "scale" && object !== undefined) {
    return withReplicas(scaledBy(resource), object, decodeLeft(left, scaleForm));
  }
  return resource.view === undefined || !versioned.has(subresource) ? left : resource.view.toStored(left);
}

/** Describes the shown object. */
export function describeShown({ kind }: Resource, subresource: string): TypeDescription {
  return subresource === "scale" ? scaleForm.description : kind.description;
}

/** A view of a kind takes its scale from the stored kind. */
function scaledBy(resource: Resource): Resource {
  return resource.view?.of ?? resource;
}
