import {
  type ApiObject,
  controllerOf,
  isControlledBy,
  type LabelSelector,
  matchesLabels,
  type ResourceType,
  toSelector,
} from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";

/**
 * Returns the controller of the object from the copy; undefined if the controller is of another
 * kind, is not in the copy, or is another object of the same name.
 */
export function findController<T extends ApiObject>(
  object: ApiObject,
  type: Pick<ResourceType<T>, "kind">,
  owners: Pick<Informer<T>, "find">,
): T | undefined {
  const reference = controllerOf(object);
  if (reference?.kind !== type.kind) return undefined;
  const owner = owners.find({ namespace: object.metadata.namespace ?? "", name: reference.name });
  return owner !== undefined && isControlledBy(object, owner) ? owner : undefined;
}

/**
 * Returns the owners that may adopt an object without a controller, because their selectors match
 * the object.
 */
export function findAdopters<T extends ApiObject>(
  { metadata }: ApiObject,
  owners: Pick<Informer<T>, "list">,
  selectorOf: (owner: T) => LabelSelector | undefined,
): T[] {
  return owners
    .list()
    .filter((owner) => owner.metadata.namespace === metadata.namespace)
    .filter((owner) => matchesLabels(toSelector(selectorOf(owner)), metadata.labels));
}
