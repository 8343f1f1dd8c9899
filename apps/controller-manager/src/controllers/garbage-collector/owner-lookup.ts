import { apiVersionOf, type OwnerReference, type ResourceType } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { forgetOldest } from "@kintsugi/clock";
import { groupOf } from "../../shared/scale/group-of.ts";
import { type GraphObject, graphObject, type OwnerGraph, waitsForDependents } from "./owner-graph.ts";
import type { OwnerState } from "./plan.ts";

/**
 * UIDs are never reused, so absence is final. Upstream's limit of 500 is enough for the dependents
 * of a deleted owner, which are judged in a row.
 */
const absentMax = 500;

export interface OwnerLookupDeps {
  client: Pick<Client, "find">;
  graph: OwnerGraph;
  /** The kinds that are served at present. */
  served: () => readonly ResourceType[];
  onInvalidNamespace: (object: GraphObject, owner: OwnerReference) => void;
  onUnknownKind: (object: GraphObject, owner: OwnerReference) => void;
}

export interface OwnerStates {
  stateOf: (owner: OwnerReference) => OwnerState;
  /** The owner exists but is not in the graph, so the object has to be inspected again. */
  isGraphBehind: boolean;
}

/** Looks up the state of an object's owners. Only the server can prove that an owner is absent. */
export class OwnerLookup {
  readonly #deps: OwnerLookupDeps;
  /** "namespace/uid", oldest first. */
  readonly #absent = new Set<string>();

  constructor(deps: OwnerLookupDeps) {
    this.#deps = deps;
  }

  async look(object: GraphObject, signal: AbortSignal): Promise<OwnerStates> {
    const states = new Map<string, OwnerState>();
    let isGraphBehind = false;
    for (const owner of object.owners) {
      const known = this.#inGraph(object, owner);
      const state = known ?? (await this.#ask(object, owner, signal));
      if (known === undefined && state !== "absent" && this.#typeOf(owner)) isGraphBehind = true;
      states.set(owner.uid, state);
    }
    return { stateOf: (owner) => states.get(owner.uid) ?? "present", isGraphBehind };
  }

  #inGraph(object: GraphObject, owner: OwnerReference): OwnerState | undefined {
    const found = this.#deps.graph.find(owner.uid);
    if (!found || found.name !== owner.name || found.type.kind !== owner.kind) return undefined;
    if (found.type.namespaced && found.namespace !== object.namespace) return undefined;
    return stateOf(found);
  }

  async #ask(object: GraphObject, owner: OwnerReference, signal: AbortSignal): Promise<OwnerState> {
    const type = this.#typeOf(owner);
    if (!type) {
      // A kind that is not served may be served by another server later, so nothing is deleted.
      this.#deps.onUnknownKind(object, owner);
      return "present";
    }
    if (type.namespaced && object.namespace === "") {
      // Such an owner can be neither found nor shown to be absent, because its namespace is
      // unknown.
      this.#deps.onInvalidNamespace(object, owner);
      return "present";
    }
    const namespace = type.namespaced ? object.namespace : "";
    const key = `${namespace}/${owner.uid}`;
    if (this.#absent.has(key)) return "absent";
    const found = await this.#deps.client.find(type, { namespace, name: owner.name }, { signal });
    if (found?.metadata.uid === owner.uid) return stateOf(graphObject(type, found));
    const elsewhere = this.#deps.graph.find(owner.uid);
    if (elsewhere && elsewhere.namespace !== namespace) this.#deps.onInvalidNamespace(object, owner);
    this.#remember(key);
    return "absent";
  }

  /** The version does not matter because an object is the same in every version. */
  #typeOf(owner: OwnerReference): ResourceType | undefined {
    const group = groupOf(owner.apiVersion);
    return this.#deps.served().find((type) => type.group === group && type.kind === owner.kind);
  }

  #remember(key: string): void {
    this.#absent.add(key);
    forgetOldest(this.#absent, absentMax);
  }
}

function stateOf(owner: GraphObject): OwnerState {
  return waitsForDependents(owner) ? "waiting" : "present";
}

/** Writes an owner like upstream: "[apps/v1/ReplicaSet, namespace: a, name: web, uid: 1]". */
export function describeOwner(object: GraphObject, owner: OwnerReference): string {
  const { apiVersion, kind, name, uid } = owner;
  return `[${apiVersion}/${kind}, namespace: ${object.namespace}, name: ${name}, uid: ${uid}]`;
}

export function describeObject({ type, namespace, name }: GraphObject): string {
  return `${apiVersionOf(type)}/${type.kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
}
