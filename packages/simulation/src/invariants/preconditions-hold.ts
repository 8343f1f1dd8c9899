import type { Check, Invariant } from "./invariant.ts";
import type { SeenRequest } from "./seen-request.ts";

/** S7, its half about writers: who means one object never hits another of its name. */
export class PreconditionsHold implements Invariant {
  readonly name = "S7";
  readonly never = "a write that lands on another object than the one whose UID it names";

  request({ request, path, sent, answered }: SeenRequest, check: Check): void {
    if (path.name === "" || request.method === "POST") return;
    const { preconditions, metadata: named } = sent();
    const meant = preconditions?.uid ?? named?.uid;
    if (meant === undefined) return;
    const { metadata, details } = answered();
    const hit = metadata?.uid ?? details?.uid;
    if (hit === undefined) return;
    check(hit === meant ? undefined : `${request.method} ${request.path} meant ${meant} and hit ${hit}`);
  }
}
