import {
  type ApiObject,
  controllerOf,
  controllerReference,
  isControlledBy,
  type LabelSelector,
  matchesLabels,
  type OwnerReference,
  type ResourceType,
  toSelector,
} from "@kintsugi/api";

/** An owner with its selector, which selects its objects. */
export interface Claimant<T extends ApiObject = ApiObject> {
  owner: ApiObject;
  selector: LabelSelector | undefined;
  /** An object that fails this test does not match; without it the selector alone decides. */
  isMember?: (object: T) => boolean;
}

export interface Claims<T> {
  /** The owner's objects that match. */
  keep: T[];
  /** Objects that match and have no owner. */
  adopt: T[];
  /** The owner's objects that no longer match. */
  release: T[];
}

/**
 * Decides which objects belong to the owner: upstream's BaseControllerRefManager. An owner that is
 * being deleted neither adopts nor releases, and objects for which `mayChange` is false keep their
 * owner.
 */
export function planClaims<T extends ApiObject>(
  { owner, selector: asked, isMember = () => true }: Claimant<T>,
  objects: readonly T[],
  mayChange: (object: T) => boolean,
): Claims<T> {
  const claims: Claims<T> = { keep: [], adopt: [], release: [] };
  const selector = toSelector(asked);
  const isDeleting = owner.metadata.deletionTimestamp !== undefined;
  for (const object of objects) {
    const matches = matchesLabels(selector, object.metadata.labels) && isMember(object);
    if (isControlledBy(object, owner)) {
      if (matches) claims.keep.push(object);
      else if (!isDeleting && mayChange(object)) claims.release.push(object);
    } else if (matches && !isDeleting && mayChange(object) && !controllerOf(object)) {
      claims.adopt.push(object);
    }
  }
  return claims;
}

export function adopted(object: ApiObject, owner: ApiObject, ownerType: ResourceType): OwnerReference[] {
  return [...(object.metadata.ownerReferences ?? []), controllerReference(owner, ownerType)];
}

export function released(object: ApiObject, owner: ApiObject): OwnerReference[] {
  return (object.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== owner.metadata.uid);
}
