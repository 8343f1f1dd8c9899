import { type Metrics, silentLogger, silentMetrics } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { MemoryStore } from "@kintsugi/store/simulated";
import { type ApiServer, type ApiServerDeps, createApiServer } from "../factory.ts";
import { type ApiResponse, readAnswer } from "../http/api-request.ts";
import type { UserInfo } from "../authorization/authorization.ts";
import type { ServerOptions } from "../server-options.ts";

const admin: UserInfo = { name: "admin", groups: ["system:masters"] };

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  // The body as any JSON, so that tests can read its fields without casts.
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers of any shape
  json: any;
}

export interface CallOptions {
  /** Bytes and strings are sent unchanged, any other value as JSON. */
  body?: unknown;
  user?: UserInfo | undefined;
  headers?: Record<string, string>;
  /** Headers as a network delivers them: alternating names and values. */
  rawHeaders?: readonly string[];
  contentType?: string;
  /** The protocol to which the caller's connection is upgraded. */
  upgrade?: string;
  signal?: AbortSignal;
}

/** An API server with a store in memory and a virtual clock, called without a network. */
export class TestServer implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly store: MemoryStore;
  readonly server: ApiServer;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: Partial<ServerOptions> = {}, deps: Partial<ApiServerDeps> & { metrics?: Metrics } = {}) {
    this.store = new MemoryStore({ clock: this.clock });
    this.server = createApiServer(
      {
        store: this.store,
        clock: this.clock,
        random: new SeededRandom(7),
        log: silentLogger,
        metrics: silentMetrics,
        ...deps,
      },
      options,
    );
  }

  static async start(options: Partial<ServerOptions> = {}, deps: Partial<ApiServerDeps> = {}): Promise<TestServer> {
    const server = new TestServer(options, deps);
    server.#running = server.server.run(server.#stop.signal);
    await server.server.ready;
    return server;
  }

  send(method: string, path: string, options: CallOptions = {}): Promise<ApiResponse> {
    const { body } = options;
    const bytes =
      body === undefined
        ? undefined
        : body instanceof Uint8Array
          ? body
          : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const contentType =
      options.contentType ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json");
    return this.server.handle({
      method,
      path,
      headers: {
        ...(bytes === undefined ? {} : { "content-type": contentType }),
        "user-agent": "test",
        ...joined(options.rawHeaders ?? []),
        ...options.headers,
      },
      ...(bytes === undefined ? {} : { body: bytes }),
      ...(options.rawHeaders === undefined ? {} : { rawHeaders: options.rawHeaders }),
      upgrade: options.upgrade,
      identity: "user" in options ? options.user : admin,
      signal: options.signal ?? new AbortController().signal,
    });
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const response = await this.send(method, path, options);
    const text = await readAnswer(response);
    const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  }

  get = (path: string, options?: CallOptions) => this.call("GET", path, options);
  post = (path: string, body: unknown, options?: CallOptions) => this.call("POST", path, { ...options, body });
  put = (path: string, body: unknown, options?: CallOptions) => this.call("PUT", path, { ...options, body });
  patch = (path: string, body: unknown, options?: CallOptions) => this.call("PATCH", path, { ...options, body });
  delete = (path: string, body?: unknown, options?: CallOptions) => this.call("DELETE", path, { ...options, body });

  /** An open watch whose events are read one by one. */
  async watch(path: string, options: CallOptions = {}): Promise<TestWatch> {
    const stop = new AbortController();
    const response = await this.send("GET", path, { ...options, signal: stop.signal });
    if (response.body instanceof Uint8Array) throw new Error(`no watch: ${await readAnswer(response)}`);
    return new TestWatch(response.body, stop);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

/** Joins repeated headers as Node does. */
function joined(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? "").toLowerCase();
    const value = rawHeaders[i + 1] ?? "";
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

export interface WatchedEvent {
  type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read objects of any kind
  object: any;
}

export class TestWatch {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #stop: AbortController;
  #text = "";

  constructor(body: AsyncIterable<Uint8Array>, stop: AbortController) {
    this.#chunks = body[Symbol.asyncIterator]();
    this.#stop = stop;
  }

  /** The next event; `undefined` when the watch has ended. */
  async next(): Promise<WatchedEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end >= 0) {
        const line = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 1);
        return JSON.parse(line) as WatchedEvent;
      }
      const chunk = await this.#chunks.next();
      if (chunk.done === true) return undefined;
      this.#text += Buffer.from(chunk.value).toString("utf8");
    }
  }

  async take(count: number): Promise<WatchedEvent[]> {
    const events: WatchedEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      events.push(event);
    }
    return events;
  }

  stop(): void {
    this.#stop.abort();
  }
}

export function aPod(name: string, extra: { labels?: Record<string, string>; spec?: object; metadata?: object } = {}) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...(extra.labels === undefined ? {} : { labels: extra.labels }), ...extra.metadata },
    spec: { containers: [{ name: "main", image: "busybox:1.36" }], ...extra.spec },
  };
}

export const podsPath = "/api/v1/namespaces/default/pods";
