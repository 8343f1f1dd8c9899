import type { ApiObject, ObjectKey, ResourceType } from "@kintsugi/api";

/**
 * A local copy of one resource (or of one node's pods) that follows the API server, and reports
 * each change.
 */
export interface Informer<T extends ApiObject> {
  readonly type: ResourceType<T>;
  /** Finds an object in the copy. The objects lack managedFields and must not be modified. */
  find(key: ObjectKey): T | undefined;
  list(): readonly T[];
  /** The objects for which the index function named `index` returned `value`. */
  byIndex(index: string, value: string): readonly T[];
  /**
   * Handlers are called in the order of changes. A handler that is added late is first called for
   * every present object. Returns a function that removes the handler.
   */
  onChange(handler: (change: InformerChange<T>) => void): () => void;
  /** True once the copy contains the first list. */
  readonly synced: boolean;
  waitForSync(signal: AbortSignal): Promise<void>;
  /** The revision that the copy has reached; 0 before the first list. */
  position(): number;
  /**
   * Wakes the informer if the server has a newer revision than its position. The answer to a Lease
   * renewal contains that revision.
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
  /** Restricts the copy to this namespace. */
  namespace?: string;
  /** Restricts the copy to the objects of this node (pods bound to it). */
  nodeName?: string;
  /** Restricts the copy to matching objects, which are followed over HTTP. */
  labelSelector?: string;
  /** Restricts the copy to the object of this name, which is followed over HTTP. */
  name?: string;
  /**
   * Keeps only objects for which this function returns true, for conditions without a selector of
   * the server. When the function begins to return false for an object, the object is reported as
   * deleted. Default: all objects.
   */
  keeps?: (object: T) => boolean;
  /**
   * Returns the part of an object that the copy keeps, for kinds with many objects. The function
   * must not change the object, and must keep its identity, revision and index values. Default: the
   * whole object.
   */
  project?: (object: T) => T;
  /**
   * True when the copy holds metadata only, for controllers of objects of any kind. Default false.
   */
  metadataOnly?: boolean;
  /** The indexes by name: each function returns the values under which an object is found. */
  indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;
}
