import { type ApiObject, apiVersionOf, type ObjectReference, type ResourceType } from "@kintsugi/api";

/** One event about an object, for users. */
export interface EventNote {
  about: ObjectReference;
  type: "Normal" | "Warning";
  reason: string;
  message: string;
}

/** Passes the event on; never fails and never waits. */
export type RecordEvent = (note: EventNote) => void;

/** Returns the reference by which an event names its object. */
export function referenceTo(
  type: Pick<ResourceType, "group" | "version" | "kind">,
  { metadata }: ApiObject,
): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind: type.kind,
    apiVersion: apiVersionOf(type),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
