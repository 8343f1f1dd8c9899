import type { Invariant } from "../invariant.ts";

/** A write for one object never changes another object of the same name. */
export function preconditionsHold(): Invariant {
  return {
    name: "preconditions-hold",
    never: "a write that changes an object whose UID differs from the UID that it names",
    request({ request, path, sent, answered }, check) {
      if (path.name === "" || request.method === "POST") return;
      const { preconditions, metadata: named } = sent();
      const meant = preconditions?.uid ?? named?.uid;
      if (meant === undefined) return;
      const { metadata, details } = answered();
      const hit = metadata?.uid ?? details?.uid;
      if (hit === undefined) return;
      check(hit === meant ? undefined : `${request.method} ${request.path} named ${meant} but changed ${hit}`);
    },
  };
}
