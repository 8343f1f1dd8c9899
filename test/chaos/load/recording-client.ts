import { type ConfigMap, configMaps, isApiError } from "@kintsugi/api";
import { type Client, ConnectionError } from "@kintsugi/client";
import type { Call, Journal, Outcome, Precondition, Verb } from "@kintsugi/simulation";
import { keyOf, loadNamespace, type Parity, seenIn, valueOf } from "./objects.ts";

/** How long a client gives one call: longer than a restart takes, shorter than most faults last. */
const callTimeoutMs = 6_000;

/** What a client wants of an object. */
export interface Wish {
  readonly data: Readonly<Record<string, string>>;
  readonly parity: Parity;
  /** Only at this revision. */
  readonly revision?: number;
  /** The field of `data` that is one higher than this client read it. */
  readonly increments?: string;
}

export interface Answer {
  readonly outcome: Outcome["is"];
  /** Absent when there is no object, or nobody said. */
  readonly object?: ConfigMap;
}

/** Makes calls for one client and writes each into the journal, whatever becomes of it. */
export class RecordingClient {
  readonly #client: Client;
  readonly #journal: Journal;
  readonly name: string;
  #answeredAtMs = 0;

  constructor(deps: { client: Client; journal: Journal }, options: { name: string }) {
    this.#client = deps.client;
    this.#journal = deps.journal;
    this.name = options.name;
  }

  /** When it last got an answer to anything, on this process's monotonic clock. */
  get answeredAtMs(): number {
    return this.#answeredAtMs;
  }

  get(name: string): Promise<Answer> {
    return this.#record({ verb: "get", key: keyOf(name) }, () =>
      this.#client.get(configMaps, { namespace: loadNamespace, name }, { timeoutMs: callTimeoutMs }),
    );
  }

  create(name: string, wish: Wish): Promise<Answer> {
    return this.#record(asked("create", name, wish), () =>
      this.#client.create(configMaps, objectOf(name, wish), { timeoutMs: callTimeoutMs }),
    );
  }

  update(name: string, wish: Wish): Promise<Answer> {
    return this.#record(asked("update", name, wish), () =>
      this.#client.update(configMaps, objectOf(name, wish), { timeoutMs: callTimeoutMs }),
    );
  }

  patch(name: string, wish: Wish): Promise<Answer> {
    const { data, metadata } = objectOf(name, wish);
    const { labels, resourceVersion } = metadata;
    const body = { data, metadata: { labels, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
    return this.#record(asked("patch", name, wish), () =>
      this.#client.patch(
        configMaps,
        { namespace: loadNamespace, name },
        { type: "merge", body },
        { timeoutMs: callTimeoutMs },
      ),
    );
  }

  delete(name: string, precondition?: Precondition): Promise<Answer> {
    const { revision, uid } = precondition ?? {};
    const preconditions = {
      ...(revision === undefined ? {} : { resourceVersion: String(revision) }),
      ...(uid === undefined ? {} : { uid }),
    };
    return this.#record({ verb: "delete", key: keyOf(name), ...(precondition && { precondition }) }, () =>
      this.#client
        .delete(configMaps, { namespace: loadNamespace, name }, { timeoutMs: callTimeoutMs, preconditions })
        .then(() => undefined),
    );
  }

  async #record(
    call: Pick<Call, "verb" | "key" | "asked" | "precondition" | "increments">,
    perform: () => Promise<ConfigMap | undefined>,
  ): Promise<Answer> {
    const journal = this.#journal;
    const begun = { kind: "call", client: this.name, id: journal.nextId(), ...call, startMs: journal.stamp() } as const;
    try {
      const object = await perform();
      const endMs = journal.stamp();
      this.#answeredAtMs = performance.now();
      journal.add({ ...begun, endMs, outcome: { is: "ok", ...(object && answered(object)) } });
      return { outcome: "ok", ...(object && { object }) };
    } catch (error) {
      const outcome = outcomeOf(call.verb, error);
      if (outcome.is === "refused" && outcome.status > 0 && outcome.status < 500)
        this.#answeredAtMs = performance.now();
      const endMs = journal.stamp();
      journal.add({ ...begun, endMs: outcome.is === "unknown" ? Infinity : endMs, outcome });
      return { outcome: outcome.is };
    }
  }
}

function outcomeOf(verb: Verb, error: unknown): Outcome {
  if (error instanceof ConnectionError) {
    // A read that failed changes nothing and says nothing; neither does a write that was never sent.
    if (verb === "get" || !error.outcomeUnknown) return { is: "refused", status: 0, reason: "ConnectionError" };
    return { is: "unknown", because: error.message };
  }
  if (!isApiError(error)) throw error;
  // Of the fives only a full disk promises that nothing was written.
  if (verb === "get" || error.code < 500 || error.reason === "StorageFull")
    return { is: "refused", status: error.code, reason: error.reason };
  return { is: "unknown", because: `${error.code} ${error.message}` };
}

function answered(object: ConfigMap) {
  const { revision, value } = seenIn(object);
  const { uid } = object.metadata;
  return { revision, value, ...(uid === undefined ? {} : { uid }) };
}

function asked(verb: Verb, name: string, wish: Wish) {
  const { revision, increments } = wish;
  return {
    verb,
    key: keyOf(name),
    asked: valueOf(objectOf(name, wish)),
    ...(revision === undefined ? {} : { precondition: { revision } }),
    ...(increments === undefined ? {} : { increments: `data.${increments}` }),
  };
}

function objectOf(name: string, { data, parity, revision }: Wish): ConfigMap {
  const condition = revision === undefined ? {} : { resourceVersion: String(revision) };
  return { metadata: { name, namespace: loadNamespace, labels: { parity }, ...condition }, data };
}
