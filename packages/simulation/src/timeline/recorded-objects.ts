import type { ObjectChange } from "@kintsugi/story";
import type { CommittedChange } from "@kintsugi/store";
import { parseValue } from "../committed-values.ts";

/** The kinds that a player shows and explains, by the store's names. */
const kinds: Readonly<Record<string, string>> = {
  "core/pods": "pods",
  "core/nodes": "nodes",
  "coordination.k8s.io/leases": "leases",
  "core/events": "events",
  "core/services": "services",
  "discovery.k8s.io/endpointslices": "endpointslices",
  "policy/poddisruptionbudgets": "poddisruptionbudgets",
  "apps/deployments": "deployments",
  "apps/replicasets": "replicasets",
  "core/replicationcontrollers": "replicationcontrollers",
  "apps/statefulsets": "statefulsets",
  "apps/daemonsets": "daemonsets",
  "batch/jobs": "jobs",
  "batch/cronjobs": "cronjobs",
  "autoscaling/horizontalpodautoscalers": "horizontalpodautoscalers",
};

/**
 * A page with more bytes than this opens slowly, so a longer run retains only its steps, without
 * objects.
 */
const bytesMax = 48 * 1024 * 1024;

interface Change {
  readonly atMs: number;
  readonly kind: string;
  readonly is: ObjectChange["is"];
  readonly value: Uint8Array;
}

/** Records each object of a run as written. Bytes are shared with the store, and parsed once. */
export class RecordedObjects {
  /** The newest bytes of each object that exists, by resource and key. */
  readonly #present = new Map<string, Change>();
  #changes: Change[] = [];
  #bytes = 0;
  #isWhole = true;

  /** Makes the present objects the objects at the beginning. */
  begin(atMs: number): void {
    this.#changes = [...this.#present.values()].map((change) => ({ ...change, atMs }));
    this.#bytes = this.#changes.reduce((sum, { value }) => sum + value.byteLength, 0);
  }

  observe({ resource, type, entry }: Pick<CommittedChange, "resource" | "type" | "entry">, atMs: number): void {
    const kind = kinds[resource];
    if (kind === undefined) return;
    const key = `${resource} ${entry.key}`;
    const before = this.#present.get(key);
    if (type === "put") {
      const change: Change = { atMs, kind, is: "put", value: entry.value };
      this.#present.set(key, change);
      this.#keep(change);
    } else if (before !== undefined) {
      this.#present.delete(key);
      this.#keep({ ...before, atMs, is: "removed" });
    }
  }

  /**
   * `isWhole` is false if the objects of the run do not fit into a page; the list of changes is
   * then empty.
   */
  recorded(): { readonly changes: readonly ObjectChange[]; readonly isWhole: boolean } {
    const changes = this.#changes.map(({ value, ...change }) => ({ ...change, object: slim(parseValue(value)) }));
    return { changes, isWhole: this.#isWhole };
  }

  #keep(change: Change): void {
    this.#bytes += change.value.byteLength;
    if (this.#bytes > bytesMax) {
      this.#isWhole = false;
      this.#changes = [];
    }
    if (this.#isWhole) this.#changes.push(change);
  }
}

/** Managed fields are a third of an object, and views do not show them. */
function slim(object: { metadata?: { managedFields?: unknown } }): object {
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
