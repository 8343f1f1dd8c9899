import { type ConfigMap, configMaps, isApiError } from "@kintsugi/api";
import { type Client, ConnectionError } from "@kintsugi/client";
import type {
  Call,
  ListCall,
  ListedPage,
  Outcome,
  Precondition,
  Selector,
  Value,
  Verb,
  WatchEnd,
  WatchFrame,
} from "../history/history.ts";
import type { Journal } from "../history/journal.ts";
import { contentOf, demandOf, labelSelectorOf, type RecordedConfigMaps, valueOf } from "./recorded-config-maps.ts";

export interface RecorderDeps {
  readonly client: Client;
  readonly journal: Journal;
}

export interface RecorderOptions {
  /** The name of the client, in the journal. */
  readonly name: string;
  readonly objects: RecordedConfigMaps;
  /**
   * The time that the call waits for a response, with all attempts. Default: the client's time
   * limit.
   */
  readonly callTimeoutMs?: number;
}

export interface Write {
  readonly asked?: Value;
  readonly precondition?: Precondition;
  /** The path of the field that is set to the value that this client read plus one. */
  readonly increments?: string;
}

export interface Pages {
  /** 0 returns everything in one page. */
  readonly limit: number;
  readonly selector?: Selector;
  readonly atRevision?: number;
  /** Runs between two pages. */
  readonly pause: () => Promise<void>;
  readonly signal?: AbortSignal;
}

export interface RecordedWatch {
  readonly fromRevision: number;
  /** The key of a single object. */
  readonly key?: string;
  readonly selector?: Selector;
  /** The server ends the watch after this time. Default: the server's own choice. */
  readonly timeoutSeconds?: number;
  readonly signal: AbortSignal;
}

/** One client's calls on ConfigMaps, each recorded in the journal with its outcome. */
export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #objects: RecordedConfigMaps;
  readonly #call: { timeoutMs?: number };
  readonly name: string;
  #answeredAtMs = 0;

  constructor(deps: RecorderDeps, { name, objects, callTimeoutMs }: RecorderOptions) {
    this.#deps = deps;
    this.#objects = objects;
    this.#call = callTimeoutMs === undefined ? {} : { timeoutMs: callTimeoutMs };
    this.name = name;
  }

  /**
   * The time of the last response to a call on one object, on the journal's clock; a response that
   * reports a failed server does not count.
   */
  get answeredAtMs(): number {
    return this.#answeredAtMs;
  }

  get(key: string): Promise<Outcome> {
    return this.#record({ verb: "get", key }, (client) =>
      client.get(configMaps, this.#objects.addressOf(key), this.#call),
    );
  }

  create(key: string, write: Write): Promise<Outcome> {
    return this.#record({ verb: "create", key, ...write }, (client) =>
      client.create(configMaps, this.#bodyOf(key, write), this.#call),
    );
  }

  update(key: string, write: Write): Promise<Outcome> {
    return this.#record({ verb: "update", key, ...write }, (client) =>
      client.update(configMaps, this.#bodyOf(key, write), this.#call),
    );
  }

  patch(key: string, write: Write): Promise<Outcome> {
    const { data, labels } = contentOf(write.asked ?? {});
    const body = { data, metadata: { labels, ...demandOf(write.precondition) } };
    return this.#record({ verb: "patch", key, ...write }, (client) =>
      client.patch(configMaps, this.#objects.addressOf(key), { type: "merge", body }, this.#call),
    );
  }

  delete(key: string, write: Write): Promise<Outcome> {
    const preconditions = demandOf(write.precondition);
    return this.#record({ verb: "delete", key, ...write }, (client) =>
      client.delete(configMaps, this.#objects.addressOf(key), { ...this.#call, preconditions }),
    );
  }

  /** Lists everything, page by page; returns the revision of the list, if it was successful. */
  async list({ limit, selector, atRevision, pause, signal }: Pages): Promise<number | undefined> {
    const { journal } = this.#deps;
    const begun = { kind: "list", client: this.name, id: journal.nextId(), startMs: journal.stamp() } as const;
    const pages: ListedPage[] = [];
    let outcome: ListCall["outcome"] = { is: "ok" };
    try {
      for (let token: string | undefined = ""; token !== undefined;) {
        if (token !== "") await pause();
        const { next, page } = await this.#page(pageQuery({ limit, selector, atRevision, token }), signal);
        pages.push(page);
        token = next;
      }
    } catch (error) {
      outcome = failureOf("get", error);
    }
    const asked = { ...(selector && { selector }), ...(atRevision === undefined ? {} : { atRevision }) };
    journal.add({ ...begun, prefix: this.#objects.prefix, ...asked, pages, endMs: journal.stamp(), outcome });
    return outcome.is === "ok" ? pages[0]?.revision : undefined;
  }

  /** Watches until either side ends it; returns the way it ended and the position it reached. */
  async watch(watch: RecordedWatch): Promise<{ end: WatchEnd; position: number }> {
    const { journal } = this.#deps;
    const { fromRevision, key, selector } = watch;
    const begun = { kind: "watch", client: this.name, id: journal.nextId(), startMs: journal.stamp() } as const;
    const frames: WatchFrame[] = [];
    const end = await this.#readStream(watch, frames);
    const asked = { prefix: key ?? this.#objects.prefix, fromRevision, ...(selector && { selector }) };
    journal.add({ ...begun, ...asked, endMs: journal.stamp(), frames, end });
    return { end, position: frames.at(-1)?.revision ?? fromRevision };
  }

  async #readStream(watch: RecordedWatch, frames: WatchFrame[]): Promise<WatchEnd> {
    const { client, journal } = this.#deps;
    const { fromRevision, key, selector, timeoutSeconds, signal } = watch;
    const objects = this.#objects;
    try {
      const events = client.watch(configMaps, {
        namespace: objects.namespace,
        resourceVersion: String(fromRevision),
        bookmarks: true,
        ...(key === undefined ? {} : { fieldSelector: `metadata.name=${objects.addressOf(key).name}` }),
        ...(selector && { labelSelector: labelSelectorOf(selector) }),
        ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
        signal,
      });
      for await (const event of events) {
        const atMs = journal.stamp();
        if (event.type === "BOOKMARK") frames.push({ type: "BOOKMARK", revision: Number(event.resourceVersion), atMs });
        else frames.push({ type: event.type, ...objects.itemOf(event.object), atMs });
      }
      return "closed";
    } catch (error) {
      return endOf(error);
    }
  }

  async #record(
    call: { verb: Verb; key: string } & Write,
    perform: (client: Client) => Promise<ConfigMap | void>,
  ): Promise<Outcome> {
    const { client, journal } = this.#deps;
    const begun = { kind: "call", client: this.name, id: journal.nextId(), ...call, startMs: journal.stamp() } as const;
    let outcome: Outcome;
    try {
      outcome = answered(await perform(client));
    } catch (error) {
      outcome = failureOf(call.verb, error);
    }
    const endMs = outcome.is === "unknown" ? Infinity : journal.stamp();
    if (isAnswer(outcome)) this.#answeredAtMs = endMs;
    journal.add({ ...begun, endMs, outcome } satisfies Call);
    return outcome;
  }

  #bodyOf(key: string, write: Write): ConfigMap {
    return this.#objects.bodyOf(key, write.asked ?? {}, write.precondition);
  }

  async #page(query: string, signal: AbortSignal | undefined): Promise<{ next: string | undefined; page: ListedPage }> {
    const { journal, client } = this.#deps;
    const startMs = journal.stamp();
    const path = `/api/v1/namespaces/${this.#objects.namespace}/configmaps?${query}`;
    const body = (await client.call({ method: "GET", path, ...(signal && { signal }) })) as ListBody;
    const { resourceVersion, continue: token = "" } = body.metadata;
    const items = body.items.map((object) => this.#objects.itemOf(object));
    const page = { revision: Number(resourceVersion), items, startMs, endMs: journal.stamp() };
    return { next: token === "" ? undefined : token, page };
  }
}

interface ListBody {
  metadata: { resourceVersion: string; continue?: string };
  items: ConfigMap[];
}

interface PageQuery {
  limit: number;
  selector: Selector | undefined;
  atRevision: number | undefined;
  token: string;
}

function pageQuery({ limit, selector, atRevision, token }: PageQuery): string {
  const query = new URLSearchParams();
  if (limit > 0) query.set("limit", String(limit));
  if (selector) query.set("labelSelector", labelSelectorOf(selector));
  if (token !== "") query.set("continue", token);
  else if (atRevision !== undefined) {
    query.set("resourceVersion", String(atRevision));
    query.set("resourceVersionMatch", "Exact");
  }
  return query.toString();
}

function answered(object: ConfigMap | void): Outcome {
  if (!object) return { is: "ok" };
  const { resourceVersion, uid } = object.metadata;
  return { is: "ok", revision: Number(resourceVersion), value: valueOf(object), ...(uid === undefined ? {} : { uid }) };
}

/**
 * The call certainly had no effect only if the server's response states this, or if the request was
 * never sent. A read never has an effect.
 */
function failureOf(verb: Verb, error: unknown): Exclude<Outcome, { is: "ok" }> {
  if (isApiError(error)) {
    // Only the code of a full disk, of the codes from 500 on, guarantees that nothing was written.
    const isRefusal = verb === "get" || error.code < 500 || error.reason === "StorageFull";
    if (isRefusal) return { is: "refused", status: error.code, reason: error.reason };
    return { is: "unknown", because: `${error.code} ${error.message}` };
  }
  if (error instanceof ConnectionError && (verb === "get" || !error.outcomeUnknown))
    return { is: "refused", status: 0, reason: "ConnectionError" };
  if (error instanceof Error) return { is: "unknown", because: error.message };
  throw error;
}

function isAnswer(outcome: Outcome): boolean {
  return outcome.is === "ok" || (outcome.is === "refused" && outcome.status > 0 && outcome.status < 500);
}

function endOf(error: unknown): WatchEnd {
  if (isApiError(error, "Expired", "Gone")) return "expired";
  if (!isApiError(error)) {
    if (error instanceof Error) return "broken";
    throw error;
  }
  return error.code === 504 && error.message.includes("Too large resource version") ? "ahead" : "refused";
}
