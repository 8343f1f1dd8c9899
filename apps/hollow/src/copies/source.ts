import type { ApiObject } from "@kintsugi/api";
import type { Informer, InformerChange } from "@kintsugi/client";

/** A reader of one node's part of a source. */
interface SourceReader<T> {
  onSourceChange(change: InformerChange<T>): void;
}

/** One copy of a resource for all nodes of this process, divided by the node of each object. */
export interface Source<T extends ApiObject> {
  readonly informer: Informer<T>;
  /** The objects of a node, or all objects where the source is the same for every node. */
  objectsOf(nodeName: string): readonly T[];
  /** Reports whether the result of `objectsOf` for the node contains the object. */
  isOf(nodeName: string, object: T): boolean;
  /**
   * Begins to pass the node's objects and their changes to the reader. Returns a function that ends
   * this.
   */
  read(node: ReadingNode, reader: SourceReader<T>): () => void;
}

/** A node whose kubelet begins to read. */
export interface ReadingNode {
  readonly name: string;
  /** True where its machine has booted, so that no earlier container runs there. */
  readonly hasBooted: boolean;
}

/** Decides when readers receive a change. */
interface Passing<T> {
  pass(change: InformerChange<T>): void;
  /** Passes the objects of a machine that has booted to its reader. */
  boot(objects: readonly T[], tell: (change: InformerChange<T>) => void): void;
}

const nodeIndex = "node";

/**
 * The indexes that a source's informer needs: `nodeOf` returns the node to which an object belongs.
 */
export function indexesBy<T>(nodeOf: ((object: T) => string) | undefined) {
  return nodeOf === undefined ? {} : { [nodeIndex]: (object: T) => [nodeOf(object)] };
}

/**
 * @param nodeOf returns the node to which an object belongs; undefined: every node reads all
 * objects.
 * @param makePassing creates the function that receives the informer's changes and passes them on;
 *   absent: changes are passed on immediately.
 */
export function sourceOf<T extends ApiObject>(
  informer: Informer<T>,
  nodeOf: ((object: T) => string) | undefined,
  makePassing?: (tell: (change: InformerChange<T>) => void) => Passing<T>,
): Source<T> {
  const readers = new Map<string, Set<SourceReader<T>>>();
  const tell = (change: InformerChange<T>) => {
    if (nodeOf !== undefined)
      for (const reader of readers.get(nodeOf(change.object)) ?? []) reader.onSourceChange(change);
    else for (const each of readers.values()) for (const reader of each) reader.onSourceChange(change);
  };
  const passing = makePassing?.(tell);
  informer.onChange((change) => {
    if (passing === undefined) tell(change);
    // A node that is off reads its objects when it boots.
    else if (change.type !== "added" || nodeOf === undefined || readers.has(nodeOf(change.object)))
      passing.pass(change);
  });
  const objectsOf = (nodeName: string) =>
    nodeOf === undefined ? informer.list() : informer.byIndex(nodeIndex, nodeName);
  return {
    informer,
    objectsOf,
    isOf: (nodeName, object) => nodeOf === undefined || nodeOf(object) === nodeName,
    read: ({ name: nodeName, hasBooted }, reader) => {
      const known = readers.get(nodeName) ?? new Set();
      readers.set(nodeName, known.add(reader));
      const objects = objectsOf(nodeName);
      const tellReader = (change: InformerChange<T>) => reader.onSourceChange(change);
      if (hasBooted && passing !== undefined) passing.boot(objects, tellReader);
      else for (const object of objects) tellReader({ type: "added", object });
      return () => {
        known.delete(reader);
        if (known.size === 0 && readers.get(nodeName) === known) readers.delete(nodeName);
      };
    },
  };
}
