import { type ConfigMap, configMaps, isApiError } from "@kintsugi/api";
import { type Client, ConnectionError } from "@kintsugi/client";
import type {
  Call,
  Journal,
  ListCall,
  ListedPage,
  Outcome,
  Precondition,
  Selector,
  Value,
  Verb,
  WatchEnd,
  WatchFrame,
} from "@kintsugi/simulation";
import { contentOf, keyOf, labelSelectorOf, nameOf, namespace, prefix, valueOf } from "./content.ts";

export interface RecorderDeps {
  readonly client: Client;
  readonly journal: Journal;
}

export interface Write {
  readonly asked?: Value;
  readonly precondition?: Precondition;
  readonly increments?: string;
}

export interface Pages {
  /** 0 is all at once. */
  readonly limit: number;
  readonly selector?: Selector;
  readonly atRevision?: number;
  /** What passes between two pages. */
  readonly pause: () => Promise<void>;
}

export interface Watch {
  readonly fromRevision: number;
  /** Of one object only. */
  readonly key?: string;
  readonly selector?: Selector;
  readonly signal: AbortSignal;
}

/** One client's calls on ConfigMaps, each of them written into the journal with what came of it. */
export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #name: string;

  constructor(deps: RecorderDeps, options: { name: string }) {
    this.#deps = deps;
    this.#name = options.name;
  }

  get(key: string): Promise<Outcome> {
    return this.#call({ verb: "get", key }, () => this.#deps.client.get(configMaps, address(key)));
  }

  create(key: string, write: Write): Promise<Outcome> {
    return this.#call({ verb: "create", key, ...write }, () =>
      this.#deps.client.create(configMaps, bodyOf(key, write)),
    );
  }

  update(key: string, write: Write): Promise<Outcome> {
    return this.#call({ verb: "update", key, ...write }, () =>
      this.#deps.client.update(configMaps, bodyOf(key, write)),
    );
  }

  patch(key: string, write: Write): Promise<Outcome> {
    const { data, labels } = contentOf(write.asked ?? {});
    const body = { data, metadata: { labels, ...demandOf(write) } };
    return this.#call({ verb: "patch", key, ...write }, () =>
      this.#deps.client.patch(configMaps, address(key), { type: "merge", body }),
    );
  }

  delete(key: string, write: Write): Promise<Outcome> {
    const preconditions = demandOf(write);
    return this.#call({ verb: "delete", key, ...write }, () =>
      this.#deps.client.delete(configMaps, address(key), { preconditions }),
    );
  }

  /** All of it, page by page; gives the revision of the list, if there was one. */
  async list({ limit, selector, atRevision, pause }: Pages): Promise<number | undefined> {
    const { journal } = this.#deps;
    const startMs = journal.stamp();
    const id = journal.nextId();
    const pages: ListedPage[] = [];
    let outcome: ListCall["outcome"] = { is: "ok" };
    try {
      for (let token: string | undefined = ""; token !== undefined;) {
        if (token !== "") await pause();
        const { next, page } = await this.#page(pageQuery({ limit, selector, atRevision, token }));
        pages.push(page);
        token = next;
      }
    } catch (error) {
      outcome = failureOf(error);
    }
    const asked = { ...(selector && { selector }), ...(atRevision === undefined ? {} : { atRevision }) };
    journal.add({
      kind: "list",
      client: this.#name,
      id,
      prefix,
      ...asked,
      pages,
      startMs,
      endMs: journal.stamp(),
      outcome,
    });
    return outcome.is === "ok" ? pages[0]?.revision : undefined;
  }

  /** Until either side ends it; gives how it ended and how far it came. */
  async watch({ fromRevision, key, selector, signal }: Watch): Promise<{ end: WatchEnd; position: number }> {
    const { journal, client } = this.#deps;
    const startMs = journal.stamp();
    const frames: WatchFrame[] = [];
    let end: WatchEnd = "closed";
    try {
      const events = client.watch(configMaps, {
        namespace,
        resourceVersion: String(fromRevision),
        bookmarks: true,
        ...(key === undefined ? {} : { fieldSelector: `metadata.name=${nameOf(key)}` }),
        ...(selector && { labelSelector: labelSelectorOf(selector) }),
        signal,
      });
      for await (const event of events) {
        const atMs = journal.stamp();
        if (event.type === "BOOKMARK") frames.push({ type: "BOOKMARK", revision: Number(event.resourceVersion), atMs });
        else frames.push({ type: event.type, ...itemOf(event.object), atMs });
      }
    } catch (error) {
      end = endOf(error);
    }
    const asked = { prefix: key ?? prefix, fromRevision, ...(selector && { selector }) };
    const endMs = journal.stamp();
    journal.add({ kind: "watch", client: this.#name, id: journal.nextId(), ...asked, startMs, endMs, frames, end });
    return { end, position: frames.at(-1)?.revision ?? fromRevision };
  }

  async #call(call: { verb: Verb; key: string } & Write, perform: () => Promise<ConfigMap | void>): Promise<Outcome> {
    const { journal } = this.#deps;
    const startMs = journal.stamp();
    const id = journal.nextId();
    let outcome: Outcome;
    try {
      outcome = answered(await perform());
    } catch (error) {
      outcome = failureOf(error);
    }
    const endMs = outcome.is === "unknown" ? Infinity : journal.stamp();
    const record: Call = { kind: "call", client: this.#name, id, ...call, startMs, endMs, outcome };
    journal.add(record);
    return outcome;
  }

  async #page(query: string): Promise<{ next: string | undefined; page: ListedPage }> {
    const { journal, client } = this.#deps;
    const startMs = journal.stamp();
    const path = `/api/v1/namespaces/${namespace}/configmaps?${query}`;
    const body = (await client.call({ method: "GET", path })) as {
      metadata: { resourceVersion: string; continue?: string };
      items: ConfigMap[];
    };
    const { resourceVersion, continue: token = "" } = body.metadata;
    const page = { revision: Number(resourceVersion), items: body.items.map(itemOf), startMs, endMs: journal.stamp() };
    return { next: token === "" ? undefined : token, page };
  }
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

function address(key: string): { namespace: string; name: string } {
  return { namespace, name: nameOf(key) };
}

function bodyOf(key: string, write: Write): ConfigMap {
  const { data, labels } = contentOf(write.asked ?? {});
  return { data, metadata: { ...address(key), labels, ...demandOf(write) } };
}

/** The precondition, as it stands in metadata and in delete options. */
function demandOf({ precondition = {} }: Write): { resourceVersion?: string; uid?: string } {
  const { revision, uid } = precondition;
  return {
    ...(revision === undefined ? {} : { resourceVersion: String(revision) }),
    ...(uid === undefined ? {} : { uid }),
  };
}

function itemOf(object: ConfigMap): ListedPage["items"][number] {
  const { name = "", resourceVersion } = object.metadata;
  return { key: keyOf(name), revision: Number(resourceVersion), value: valueOf(object) };
}

function answered(object: ConfigMap | void): Outcome {
  if (!object) return { is: "ok" };
  const { resourceVersion, uid } = object.metadata;
  return { is: "ok", revision: Number(resourceVersion), value: valueOf(object), ...(uid === undefined ? {} : { uid }) };
}

/** The server has certainly done nothing only if it says so, or was never asked. */
function failureOf(error: unknown): Exclude<Outcome, { is: "ok" }> {
  if (isApiError(error) && (error.code < 500 || error.code === 507))
    return { is: "refused", status: error.code, reason: error.reason };
  if (error instanceof Error) return { is: "unknown", because: error.message };
  throw error;
}

function endOf(error: unknown): WatchEnd {
  if (error instanceof ConnectionError) return "broken";
  if (!isApiError(error)) throw error;
  if (error.code === 410) return "expired";
  return error.code === 504 && error.message.includes("Too large resource version") ? "ahead" : "refused";
}
