import type { ApiObject, ObjectKey, ResourceType } from "@kintsugi/api";
import type { Informer, InformerOptions } from "./informer/informer.ts";

/** Typed access to the API that cannot change the cluster. Refusals are thrown as `ApiError`. */
export interface ObjectReader {
  /** @throws ApiError NotFound. */
  get<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey, options?: CallOptions): Promise<T>;
  find<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey, options?: CallOptions): Promise<T | undefined>;
  /** All objects, page by page, at one revision. */
  list<T extends ApiObject>(type: ResourceType<T>, options?: ListOptions): Promise<ObjectList<T>>;
  /**
   * Changes after `options.resourceVersion`, until the signal aborts or the server ends the stream
   * (the iteration then ends without an error).
   * @throws ApiError Expired when that revision is no longer kept: list again.
   */
  watch<T extends ApiObject>(type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /**
   * Calls `handler` at the first answer after an unanswered call, and at the first accepted write
   * after a write that was rejected for lack of room, but at most once a second. Callers that wait
   * for their next attempt need not wait longer. Returns a function that stops the calls.
   */
  onReturn(handler: () => void): () => void;
  /**
   * Called for every informer that begins to follow through this reader, until the signal aborts,
   * so that a test can compare the informer's copy with the server's state.
   */
  onFollow?: OnFollow | undefined;
}

type OnFollow = (informer: Informer<ApiObject>, options: InformerOptions<ApiObject>, signal: AbortSignal) => void;

export interface ObjectWriter {
  /** `options.subresource` posts to the subresource instead: "binding", "eviction". */
  create<T extends ApiObject>(type: ResourceType<T>, object: T, options?: CreateOptions): Promise<T>;
  /**
   * Replaces the object; `metadata.resourceVersion` in the object makes the write conditional.
   * `options.subresource`: "status", "scale".
   */
  update<T extends ApiObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T>;
  delete<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey, options?: DeleteOptions): Promise<void>;
}

export type Client = ObjectReader &
  ObjectWriter & {
    /**
     * Any other call: health, version, credentials. Resolves with the parsed JSON body, or the text
     * if it is not JSON.
     * @throws ApiError unless 2xx.
     */
    call(request: RawRequest): Promise<unknown>;
    close(): Promise<void>;
  };

/** The limits on another program's answer, checked before the answer is parsed. */
export interface ForeignAnswer {
  readonly bytesMax: number;
  readonly valuesMax: number;
}

export interface RawRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path with its query: "/readyz?verbose". */
  path: string;
  body?: unknown;
  contentType?: string;
  /** The media types that the caller accepts. Default JSON. */
  accept?: string;
  /** The ETag of a known answer. The answer is undefined if the server still has that version. */
  ifNoneMatch?: string | undefined;
  /** Called with the answer's headers (names in lower case) when the call succeeds. */
  onHeaders?: (headers: Readonly<Record<string, string>>) => void;
  signal?: AbortSignal;
  /** The limit of the call with all its retries; default 60 s. */
  timeoutMs?: number;
  /** Limits on an answer that a server behind the API server wrote. */
  foreign?: ForeignAnswer;
  /** Returns a refusal as the answer, including a refusal that requests a retry. Default false. */
  isTriedOnce?: boolean;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** "status", "scale", "log", … */
  subresource?: string;
  /** The limit of the call with all its retries; default 60 s. */
  timeoutMs?: number;
  /** Called with the answer's headers (names in lower case) when the call succeeds. */
  onHeaders?: (headers: Readonly<Record<string, string>>) => void;
  /**
   * True for heartbeats: the call does not wait behind other calls for a connection. A client with
   * many writes would otherwise be considered dead.
   */
  urgent?: boolean;
}

export interface WriteOptions extends CallOptions {
  fieldManager?: string;
  dryRun?: boolean;
}

export interface CreateOptions extends WriteOptions {
  /** The namespace of the object if its metadata does not have a namespace. */
  namespace?: string;
  /**
   * The object to whose subresource the body is posted, when the body's kind differs from the
   * parent's kind.
   */
  name?: string;
}

export interface DeleteOptions extends WriteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: "Orphan" | "Background" | "Foreground";
  preconditions?: { uid?: string; resourceVersion?: string };
}

export interface ListOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects per request; default 500, as kubectl's. */
  pageLimit?: number;
  resourceVersion?: string;
  /**
   * Objects with their metadata only (PartialObjectMetadata), for callers that work on objects of
   * any kind. Default false.
   */
  metadataOnly?: boolean;
  signal?: AbortSignal;
}

export interface WatchOptions extends ListOptions {
  resourceVersion: string;
  /** The server ends the stream after this time. */
  timeoutSeconds?: number;
  /** Requests BOOKMARK events. */
  bookmarks?: boolean;
  signal: AbortSignal;
}

export interface ObjectList<T> {
  items: T[];
  resourceVersion: string;
}

export type WatchEvent<T> =
  | { type: "ADDED" | "MODIFIED" | "DELETED"; object: T }
  /** Everything up to this revision has been sent. */
  | { type: "BOOKMARK"; resourceVersion: string };

export type Patch =
  | { type: "merge"; body: unknown }
  | { type: "strategic"; body: unknown }
  | { type: "json"; body: readonly JsonPatchOperation[] };

export interface JsonPatchOperation {
  op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  path: string;
  from?: string;
  value?: unknown;
}
