import { strict as assert } from "node:assert";
import type { ApiObject, ChangeEnvelope, ObjectKey, ParseChanged } from "@kintsugi/api";
import type { ObjectReader } from "../client.ts";
import { withMetadataOnly } from "./partial-metadata.ts";
import type { InformerChange, InformerOptions } from "./informer.ts";
import { type ObjectCache, revisionOf } from "./object-cache.ts";

export interface ChangeApplierDeps<T extends ApiObject> {
  client: ObjectReader;
  cache: ObjectCache<T>;
  tell: (changes: readonly InformerChange<T>[]) => void;
  /** Parses the objects of messages. Default `JSON.parse`. */
  parse?: ParseChanged | undefined;
}

export type ApplyResult =
  | { applied: true }
  /** The copy contains every change up to `position` and no later change. */
  | { applied: false; position: number; error: unknown };

/**
 * Applies messages of the change stream to the copy, and fetches the objects that are too large or
 * too confidential for the stream.
 */
export class ChangeApplier<T extends ApiObject> {
  readonly #deps: ChangeApplierDeps<T>;
  readonly #options: InformerOptions<T>;

  constructor(deps: ChangeApplierDeps<T>, options: InformerOptions<T>) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Applies changes in order, starting at `position`. */
  async apply(changes: readonly ChangeEnvelope[], positionBefore: number, signal: AbortSignal): Promise<ApplyResult> {
    let position = positionBefore;
    for (const change of changes) {
      assert(change.revision > position, `change ${change.revision} is applied after ${position}`);
      try {
        if (this.#concerns(change)) await this.#applyOne(change, signal);
      } catch (error) {
        return { applied: false, position, error };
      }
      position = change.revision;
    }
    return { applied: true };
  }

  async #applyOne(change: ChangeEnvelope, signal: AbortSignal): Promise<void> {
    const { cache, tell, parse = parseBytes } = this.#deps;
    const key: ObjectKey = { namespace: change.namespace, name: change.name };
    const present = cache.find(key);
    if (present !== undefined && revisionOf(present) >= change.revision) return;
    if (change.object !== undefined) {
      const object = this.#kept(parse<T>(change.object, change.revision));
      tell(change.type === "delete" ? cache.delete(object) : cache.put(object));
      return;
    }
    if (change.type === "delete") {
      tell(cache.forget(key));
      return;
    }
    const object = await this.#deps.client.find(this.#options.type, key, { signal });
    if (object === undefined || !isOfNode(object, this.#options)) {
      tell(cache.forget(key));
      return;
    }
    if (revisionOf(object) < change.revision) {
      throw new Error(`the server answered revision ${revisionOf(object)} after it announced ${change.revision}`);
    }
    tell(cache.put(this.#kept(object)));
  }

  #kept(object: T): T {
    return this.#options.metadataOnly === true ? withMetadataOnly(this.#options.type, object) : object;
  }

  /**
   * The stream carries a whole resource, or a node's objects. An informer of one namespace drops
   * changes of other namespaces.
   */
  #concerns(change: ChangeEnvelope): boolean {
    return this.#options.namespace === undefined || this.#options.namespace === change.namespace;
  }
}

/**
 * A fetched object may be newer than the message, and its name may then belong to a pod of another
 * node.
 */
function isOfNode<T extends ApiObject>(object: T, { type, nodeName }: InformerOptions<T>): boolean {
  if (nodeName === undefined || type.resource !== "pods") return true;
  return (object as { spec?: { nodeName?: string } }).spec?.nodeName === nodeName;
}

function parseBytes<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")) as T;
}
