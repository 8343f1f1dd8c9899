import type { Invariant, InvariantContext } from "../invariant.ts";

/** Only an object that has outlived all its owners is collected. */
export function ownedObjectsAreKept({ known }: InvariantContext): Invariant {
  return {
    name: "owned-objects-are-kept",
    never: "an object that is garbage collected while one of its owners exists and is not being deleted",
    request({ request, path, sent, target }, check) {
      // Only the garbage collector deletes an object with the exact version as a precondition.
      if (request.method !== "DELETE" || sent().preconditions?.resourceVersion === undefined) return;
      if (request.identity.name !== "system:kube-controller-manager") return;
      // A UID is never reused, so an owner that exists now existed at the look-up.
      const owners = (target?.owners ?? []).map((uid) => known.byUid(uid));
      const staying = owners.find((owner) => owner && !owner.isDeleting && isNear(owner.key, path.namespace));
      check(staying && `${request.path} was garbage-collected, although its owner ${staying.key} exists`);
    },
  };
}

/** Owners are looked up in the object's own namespace, and as cluster-scoped objects. */
function isNear(ownerKey: string, namespace: string): boolean {
  const [, , of = ""] = ownerKey.split("/");
  return of === "_" || of === namespace;
}
