import { type ApiObject, builtInKinds, type Node, nodes, type ResourceType } from "@kintsugi/api";
import type { ShownGrace } from "./shown-grace.ts";
import type { StartState } from "./start-state.ts";

/** A start state as it is sent to another process. */
export interface PackedStart {
  readonly takenAtMs: number;
  readonly minor: number | undefined;
  readonly grace: ShownGrace | undefined;
  readonly isKintsugi: boolean;
  readonly unfinishedKeys: StartState["unfinishedKeys"];
  readonly notes: readonly string[];
  readonly objects: readonly (readonly [kind: string, object: ApiObject])[];
}

export function packStart({
  takenAtMs,
  minor,
  grace,
  isKintsugi,
  unfinishedKeys,
  notes,
  objects,
}: StartState): PackedStart {
  return {
    takenAtMs,
    minor,
    grace,
    isKintsugi,
    unfinishedKeys,
    notes,
    objects: objects.map(({ kind, object }) => [keyOf(kind.type), object] as const),
  };
}

export function unpackStart({
  takenAtMs,
  minor,
  grace,
  isKintsugi,
  unfinishedKeys,
  notes,
  objects,
}: PackedStart): StartState {
  const kinds = new Map(builtInKinds.map((kind) => [keyOf(kind.type), kind]));
  return {
    takenAtMs,
    minor,
    grace,
    isKintsugi,
    unfinishedKeys,
    notes,
    objects: objects.flatMap(([key, object]) => {
      const kind = kinds.get(key);
      return kind === undefined ? [] : [{ kind, object }];
    }),
    nodes: objects.filter(([key]) => key === keyOf(nodes)).map(([, object]) => object as Node),
  };
}

function keyOf({ group, resource }: ResourceType): string {
  return `${group}/${resource}`;
}
