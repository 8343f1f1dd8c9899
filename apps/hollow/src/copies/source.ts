import type { ApiObject } from "@kintsugi/api";
import type { Informer, InformerChange } from "@kintsugi/client";

/** A reader of the part of a source that belongs to one node. */
interface SourceReader<T> {
  onSourceChange(change: InformerChange<T>): void;
}

/** One copy of a resource for all nodes of this process, taken apart by the node of each object. */
export interface Source<T extends ApiObject> {
  readonly informer: Informer<T>;
  /** The objects of a node; all objects where the source is the same for every node. */
  objectsOf(nodeName: string): readonly T[];
  /** Reports whether `objectsOf` the node has the object. */
  isOf(nodeName: string, object: T): boolean;
  /** Begins to hand the node's changes to the reader. Returns a function that ends it. */
  read(nodeName: string, reader: SourceReader<T>): () => void;
}

const nodeIndex = "node";

/**
 * The indexes that a source's informer needs: `nodeOf` returns the node that an object belongs to.
 */
export function indexesBy<T>(nodeOf: ((object: T) => string) | undefined) {
  return nodeOf === undefined ? {} : { [nodeIndex]: (object: T) => [nodeOf(object)] };
}

/**
 * @param nodeOf returns the node that an object belongs to; undefined: every node reads all.
 * @param passing makes what receives the informer's changes, and tells them or not.
 */
export function sourceOf<T extends ApiObject>(
  informer: Informer<T>,
  nodeOf: ((object: T) => string) | undefined,
  passing: (tell: (change: InformerChange<T>) => void) => (change: InformerChange<T>) => void = (tell) => tell,
): Source<T> {
  const readers = new Map<string, Set<SourceReader<T>>>();
  const tell = (change: InformerChange<T>) => {
    if (nodeOf !== undefined)
      for (const reader of readers.get(nodeOf(change.object)) ?? []) reader.onSourceChange(change);
    else for (const each of readers.values()) for (const reader of each) reader.onSourceChange(change);
  };
  informer.onChange(passing(tell));
  return {
    informer,
    objectsOf: (nodeName) => (nodeOf === undefined ? informer.list() : informer.byIndex(nodeIndex, nodeName)),
    isOf: (nodeName, object) => nodeOf === undefined || nodeOf(object) === nodeName,
    read: (nodeName, reader) => {
      const known = readers.get(nodeName) ?? new Set();
      readers.set(nodeName, known.add(reader));
      return () => {
        known.delete(reader);
        if (known.size === 0 && readers.get(nodeName) === known) readers.delete(nodeName);
      };
    },
  };
}
