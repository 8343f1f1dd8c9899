import { type ApiObject, type Node, nodes } from "@kintsugi/api";
import { rehearsedKinds } from "../picture/rehearsed-kinds.ts";
import type { ShownGrace } from "./shown-grace.ts";
import type { StartState } from "./start-state.ts";

/** A start state as it is sent to another process. */
export interface PackedStart {
  readonly takenAtMs: number;
  readonly minor: number | undefined;
  readonly grace: ShownGrace | undefined;
  readonly isKintsugi: boolean;
  readonly notes: readonly string[];
  readonly objects: readonly (readonly [resource: string, object: ApiObject])[];
}

export function packStart({ takenAtMs, minor, grace, isKintsugi, notes, objects }: StartState): PackedStart {
  return {
    takenAtMs,
    minor,
    grace,
    isKintsugi,
    notes,
    objects: objects.map(({ kind, object }) => [kind.type.resource, object] as const),
  };
}

export function unpackStart({ takenAtMs, minor, grace, isKintsugi, notes, objects }: PackedStart): StartState {
  const kinds = new Map(rehearsedKinds.map(({ kind, key }) => [key, kind]));
  return {
    takenAtMs,
    minor,
    grace,
    isKintsugi,
    notes,
    objects: objects.flatMap(([resource, object]) => {
      const kind = kinds.get(resource);
      return kind === undefined ? [] : [{ kind, object }];
    }),
    nodes: objects.filter(([resource]) => resource === nodes.resource).map(([, object]) => object as Node),
  };
}
