import type { Check, Invariant } from "./invariant.ts";
import type { Known } from "./known.ts";
import type { SeenRequest } from "./seen-request.ts";

/** S18: only what has outlived all its owners is collected. */
export class CollectedUnowned implements Invariant {
  readonly name = "S18";
  readonly never = "an object that is garbage collected while an owner of it is there to stay";
  readonly #known: Known;

  constructor({ known }: { known: Known }) {
    this.#known = known;
  }

  request({ request, path, sent, target }: SeenRequest, check: Check): void {
    // The garbage collector alone deletes what is still exactly as it has seen it.
    if (request.method !== "DELETE" || sent().preconditions?.resourceVersion === undefined) return;
    if (request.identity.name !== "system:kube-controller-manager") return;
    // A UID never comes back, so an owner that is there now was there when it was looked for.
    const owners = (target?.owners ?? []).map((uid) => this.#known.byUid(uid));
    const staying = owners.find((owner) => owner && !owner.isDeleting && isNear(owner.key, path.namespace));
    check(staying && `${request.path} was collected, and its owner ${staying.key} is there`);
  }
}

/** Owners are looked for in the object's own namespace, and outside of all. */
function isNear(ownerKey: string, namespace: string): boolean {
  const [, , of = ""] = ownerKey.split("/");
  return of === "_" || of === namespace;
}
