import type { ApiObject, ChangeEnvelope, ResourceType } from "@kintsugi/api";

/** One committed change of a MemoryApi. */
export interface MemoryChange {
  revision: number;
  resource: string;
  type: "ADDED" | "MODIFIED" | "DELETED";
  /** The object after the change; for a deletion its final state, at the deletion's revision. */
  object: ApiObject;
  before: ApiObject | undefined;
  previousOfResource: number;
  /**
   * The last change before this change that concerned the same node; 0 without such a change, or if
   * the change does not concern a node.
   */
  previousOfNode: number;
}

/** Objects, their revisions, and every change that led to them. */
export class MemoryLog {
  readonly #objects = new Map<string, ApiObject>();
  readonly #changes: MemoryChange[] = [];
  readonly #listeners = new Set<(change: MemoryChange) => void>();
  #revision = 0;
  #floor = 0;

  get revision(): number {
    return this.#revision;
  }

  /** Changes up to this revision are no longer stored. */
  get floor(): number {
    return this.#floor;
  }

  find(resource: string, namespace: string, name: string): ApiObject | undefined {
    return this.#objects.get(`${resource}/${namespace}/${name}`);
  }

  list(resource: string): ApiObject[] {
    const prefix = `${resource}/`;
    return [...this.#objects.entries()]
      .filter(([key]) => key.startsWith(prefix))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object);
  }

  put(resource: string, object: ApiObject): ApiObject {
    const key = `${resource}/${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
    const before = this.#objects.get(key);
    const revision = this.#revision + 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    this.#objects.set(key, stored);
    this.#append({ revision, resource, type: before === undefined ? "ADDED" : "MODIFIED", object: stored, before });
    return stored;
  }

  delete(resource: string, object: ApiObject): ApiObject {
    const revision = this.#revision + 1;
    const final = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    this.#objects.delete(`${resource}/${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`);
    this.#append({ revision, resource, type: "DELETED", object: final, before: object });
    return final;
  }

  /** Oldest first; undefined when the changes are no longer stored. */
  changesSince(resource: string, revision: number): readonly MemoryChange[] | undefined {
    if (revision < this.#floor) return undefined;
    return this.#changes.filter((change) => change.resource === resource && change.revision > revision);
  }

  lastRevisionOf(resource: string): number {
    return this.#changes.findLast((change) => change.resource === resource)?.revision ?? 0;
  }

  subscribe(listener: (change: MemoryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Drops the changes so far, as compaction does. */
  compact(): void {
    this.#floor = this.#revision;
  }

  /** Moves the revision ahead, as restoring a backup does. */
  jump(by: number): void {
    this.#revision += by;
    this.#floor = this.#revision;
  }

  #append(change: Omit<MemoryChange, "previousOfResource" | "previousOfNode">): void {
    const node = nodeOf(change.resource, change.object);
    const complete: MemoryChange = {
      ...change,
      previousOfResource: this.lastRevisionOf(change.resource),
      previousOfNode:
        this.#changes.findLast(
          (past) => past.resource === change.resource && nodeOf(past.resource, past.object) === node,
        )?.revision ?? 0,
    };
    this.#revision = change.revision;
    this.#changes.push(complete);
    for (const listener of this.#listeners) listener(complete);
  }
}

/** The node that a change concerns: the node of a pod, or the object's own name. */
export function nodeOf(resource: string, object: ApiObject): string | undefined {
  if (resource !== "pods") return object.metadata.name;
  return (object as { spec?: { nodeName?: string } }).spec?.nodeName;
}

/** The message that a relay sends for a change. */
export function envelopeOf(
  change: MemoryChange,
  options: { historyId: string; byNode: boolean; withObject: boolean },
): ChangeEnvelope {
  const envelope: ChangeEnvelope = {
    historyId: options.historyId,
    revision: change.revision,
    previous: options.byNode ? change.previousOfNode : change.previousOfResource,
    type: change.type === "DELETED" ? "delete" : "put",
    namespace: change.object.metadata.namespace ?? "",
    name: change.object.metadata.name ?? "",
  };
  return options.withObject ? { ...envelope, object: Buffer.from(JSON.stringify(change.object)) } : envelope;
}

export type MemoryResourceType = Pick<ResourceType, "group" | "version" | "resource" | "kind" | "namespaced">;
