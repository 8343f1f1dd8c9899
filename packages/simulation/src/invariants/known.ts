import type { ApiObject, Node, Pod, PodDisruptionBudget, ReplicaSet } from "@kintsugi/api";

/** Leaders renew their Leases every 2 s at most: a store that is silent for longer has no server. */
const silenceMaxMs = 3000;

/** The objects as of the change that is being looked at, by store key, each parsed once. */
export class Known {
  readonly pods = new Map<string, Pod>();
  readonly nodes = new Map<string, Node>();
  readonly replicaSets = new Map<string, ReplicaSet>();
  readonly budgets = new Map<string, PodDisruptionBudget>();

  #awakeMs = 0;
  #lookedMs = 0;

  /** How long somebody has been committing: in what is not awake nobody hears of anything, and nobody can say anything. */
  get awakeMs(): number {
    return this.#awakeMs;
  }

  moveTo(nowMs: number): void {
    this.#awakeMs += Math.min(nowMs - this.#lookedMs, silenceMaxMs);
    this.#lookedMs = nowMs;
  }

  node(name: string): Node | undefined {
    return this.nodes.get(`core/nodes/_/${name}`);
  }
}

/** What of `Known`, and which method of an invariant, belongs to a resource. Whatever is not named here is never parsed. */
export const parsedKinds = {
  "core/pods": { known: "pods", method: "pod" },
  "core/nodes": { known: "nodes", method: "node" },
  "apps/replicasets": { known: "replicaSets", method: "replicaSet" },
  "policy/poddisruptionbudgets": { known: "budgets", method: "budget" },
} as const;

export type ParsedResource = keyof typeof parsedKinds;

export function isParsed(resource: string): resource is ParsedResource {
  return Object.hasOwn(parsedKinds, resource);
}

export function parseEntry(value: Uint8Array): ApiObject {
  return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()) as ApiObject;
}

/** "default/web-x7": as messages name an object. */
export function nameOf({ metadata }: ApiObject): string {
  return metadata.namespace === undefined ? (metadata.name ?? "") : `${metadata.namespace}/${metadata.name}`;
}
