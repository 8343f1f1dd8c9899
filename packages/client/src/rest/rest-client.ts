import {
  type ApiObject,
  apiVersionOf,
  isApiError,
  type Metrics,
  type ObjectKey,
  type ResourceType,
} from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type {
  CallOptions,
  Client,
  CreateOptions,
  DeleteOptions,
  ListOptions,
  ObjectList,
  Patch,
  RawRequest,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../client.ts";
import { Exchange } from "./exchange.ts";
import { listPages } from "./list-pages.ts";
import { objectRequestPath, type Query, requestPath } from "./request-path.ts";
import type { Transport } from "./transport.ts";
import { watchObjects } from "./watch-objects.ts";

/** The limit of one attempt: half of upstream's default for requests that are not watches. */
const attemptTimeoutMsDefault = 30_000;
/** The limit of a call with its retries. */
const callTimeoutMsDefault = 60_000;

const patchContentTypes = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
} as const satisfies Record<Patch["type"], string>;

export interface RestClientDeps {
  transport: Transport;
  clock: Clock;
  random: Random;
  metrics: Metrics;
}

export interface RestClientOptions {
  userAgent: string;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** The limit of one attempt. Default 30 s. */
  attemptTimeoutMs?: number;
  /** The limit of a call with its retries. Default 60 s. */
  callTimeoutMs?: number;
}

/** The typed client over any transport. */
export class RestClient implements Client {
  readonly #transport: Transport;
  readonly #exchange: Exchange;

  constructor(deps: RestClientDeps, options: RestClientOptions) {
    this.#transport = deps.transport;
    this.#exchange = new Exchange(deps, {
      userAgent: options.userAgent,
      headers: options.headers ?? {},
      attemptTimeoutMs: options.attemptTimeoutMs ?? attemptTimeoutMsDefault,
      callTimeoutMs: options.callTimeoutMs ?? callTimeoutMsDefault,
    });
  }

  async get<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey, options: CallOptions = {}): Promise<T> {
    const path = objectRequestPath({ type, ...key, subresource: options.subresource });
    return (await this.#exchange.call({ method: "GET", path, ...callOptions(options) })) as T;
  }

  async find<T extends ApiObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    options: CallOptions = {},
  ): Promise<T | undefined> {
    try {
      return await this.get(type, key, options);
    } catch (error) {
      if (isApiError(error, "NotFound")) return undefined;
      throw error;
    }
  }

  list<T extends ApiObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    return listPages(this.#exchange, type, options);
  }

  watch<T extends ApiObject>(type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>> {
    return watchObjects(this.#exchange, type, options);
  }

  async create<T extends ApiObject>(type: ResourceType<T>, object: T, options: CreateOptions = {}): Promise<T> {
    const namespace = object.metadata.namespace ?? options.namespace;
    const isSubresource = options.subresource !== undefined;
    const name = isSubresource ? (options.name ?? object.metadata.name) : undefined;
    const target = { type, namespace, name, subresource: options.subresource };
    const path = isSubresource
      ? objectRequestPath(target, writeQuery(options))
      : requestPath(target, writeQuery(options));
    const body = isSubresource ? object : { apiVersion: apiVersionOf(type), kind: type.kind, ...object };
    return (await this.#exchange.call({ method: "POST", path, body, ...callOptions(options) })) as T;
  }

  async update<T extends ApiObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { namespace, name } = object.metadata;
    const path = objectRequestPath({ type, namespace, name, subresource: options.subresource }, writeQuery(options));
    const isOwnKind = options.subresource === undefined || options.subresource === "status";
    const sent = withoutManagedFields(object);
    const body = isOwnKind ? { apiVersion: apiVersionOf(type), kind: type.kind, ...sent } : sent;
    return (await this.#exchange.call({ method: "PUT", path, body, ...callOptions(options) })) as T;
  }

  async patch<T extends ApiObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = objectRequestPath({ type, ...key, subresource: options.subresource }, writeQuery(options));
    return (await this.#exchange.call({
      method: "PATCH",
      path,
      body: patch.body,
      contentType: patchContentTypes[patch.type],
      ...callOptions(options),
    })) as T;
  }

  async delete<T extends ApiObject>(type: ResourceType<T>, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = options;
    const body = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      ...(preconditions === undefined ? {} : { preconditions }),
      ...(dryRun === true ? { dryRun: ["All"] } : {}),
    };
    const path = objectRequestPath({ type, ...key, subresource: options.subresource });
    await this.#exchange.call({ method: "DELETE", path, body, ...callOptions(options) });
  }

  onReturn(handler: () => void): () => void {
    return this.#exchange.presence.onReturn(handler);
  }

  call(request: RawRequest): Promise<unknown> {
    return this.#exchange.call(request);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

function callOptions({ signal, timeoutMs, onHeaders, urgent }: CallOptions) {
  return { signal, timeoutMs, onHeaders, urgent };
}

/**
 * The record of fields' managers is half of a Lease, and half of a Pod's status. The server
 * maintains that record itself, and uses its own copy where a body has no record. An empty record
 * requests its removal, so an empty record is sent.
 */
function withoutManagedFields<T extends ApiObject>(object: T): T {
  const { managedFields, ...metadata } = object.metadata;
  return managedFields === undefined || managedFields.length === 0 ? object : { ...object, metadata };
}

function writeQuery(options: WriteOptions): Query {
  return { fieldManager: options.fieldManager, dryRun: options.dryRun === true ? "All" : undefined };
}
