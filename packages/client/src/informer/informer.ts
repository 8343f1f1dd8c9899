import type { ApiObject, ObjectKey, ResourceType } from "@kintsugi/api";

/**
 * A local copy of one resource (or of one node's pods) that follows the API server, and reports
 * each change.
 */
export interface Informer<T extends ApiObject> {
  readonly type: ResourceType<T>;
  /** The copy, whose objects have no managedFields; they must not be modified. */
  find(key: ObjectKey): T | undefined;
  list(): readonly T[];
  /** The objects for which the index function named `index` gave `value`. */
  byIndex(index: string, value: string): readonly T[];
  /**
   * Handlers are called in the order of changes; one added late is first called for everything
   * present. Returns a function that removes it.
   */
  onChange(handler: (change: InformerChange<T>) => void): () => void;
  /** True once the first list is in. */
  readonly synced: boolean;
  waitForSync(signal: AbortSignal): Promise<void>;
  /** The revision that the copy has reached; 0 before the first list. */
  position(): number;
  /**
   * Wakes the informer if the server has something newer than its position (the answer to a Lease
   * renewal contains that).
   */
  noticeRevision(revision: number): void;
  /** Follows until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export type InformerChange<T> =
  | { type: "added"; object: T }
  | { type: "modified"; object: T; before: T }
  | { type: "deleted"; object: T };

export interface InformerOptions<T extends ApiObject> {
  type: ResourceType<T>;
  /** Only this namespace. */
  namespace?: string;
  /** Only the objects of this node (pods bound to it). */
  nodeName?: string;
  /** Only matching objects; followed over HTTP. */
  labelSelector?: string;
  /** Only the object of this name; followed over HTTP. */
  name?: string;
  /**
   * Only objects for which this returns true, decided here: for conditions that the server has no
   * selector for. An object for which it ceases to be true is reported as deleted. Default: all.
   */
  keeps?: (object: T) => boolean;
  /**
   * Returns the part of an object that the copy keeps, for kinds of which there are many; the
   * object itself must stay as it is, and so must its identity, revision and index values. Default:
   * all of it.
   */
  project?: (object: T) => T;
  /**
   * True when the copy holds metadata only, for controllers of objects of any kind. Default false.
   */
  metadataOnly?: boolean;
  /** The indexes by name: each function returns the values under which an object is found. */
  indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;
}
