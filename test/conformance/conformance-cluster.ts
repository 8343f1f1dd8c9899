import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { silentLogger } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { program, type ServedCluster, startServedCluster } from "@kintsugi/test-server/factory";
import { bodyOf, type WireEncoding, WireFrameReader, mediaTypes, readWireBody } from "./wire.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers of any shape
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly json: Json;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Json;
}

export const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** Starts the cluster of a test file: a test server with three hollow nodes, used over TLS. */
export async function startConformanceCluster(...flags: string[]): Promise<ServedCluster> {
  const deps = { clock: systemClock, random: systemRandom, log: silentLogger };
  const config = program.readConfig(["--nodes=3", "--profile=fast", ...flags]);
  // The Service `kubernetes` needs an address, which is not used.
  const server = { ...config.server, advertised: { address: "192.0.2.1", port: 6443 } };
  const cluster = await startServedCluster(deps, { ...config, server });
  await cluster.nodesReady;
  return cluster;
}

/** A client of the cluster that sends and accepts one encoding, as upstream's tests do by flag. */
export class ConformanceClient {
  readonly #cluster: ServedCluster;
  readonly encoding: WireEncoding;

  constructor(cluster: ServedCluster, encoding: WireEncoding) {
    this.#cluster = cluster;
    this.encoding = encoding;
  }

  /** Issues certificates that are signed by this cluster's authority. */
  get authority() {
    return this.#cluster.identities.authority;
  }

  get = (path: string, headers?: Record<string, string>) => this.call("GET", path, undefined, headers);
  post = (path: string, object: Json) => this.call("POST", path, bodyOf(object, this.encoding));
  put = (path: string, object: Json) => this.call("PUT", path, bodyOf(object, this.encoding));
  delete = (path: string) => this.call("DELETE", path);

  patch(path: string, body: unknown, type: keyof typeof patchTypes = "merge"): Promise<Answer> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return this.call("PATCH", path, { bytes: Buffer.from(text), contentType: patchTypes[type] });
  }

  /** Creates a namespace for a test, and returns the path of its objects in a group. */
  async namespace(purpose: string): Promise<string> {
    const name = `${purpose}-${this.encoding}-${systemRandom.integer(1_000_000)}`;
    await expectStatus(
      201,
      this.post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    );
    return name;
  }

  call(
    method: string,
    path: string,
    body?: { bytes: Uint8Array; contentType: string },
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#cluster.url}${path}`,
        { method, ca: this.#cluster.identities.authority.certificate, headers: this.#headers(body, headers) },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.once("error", reject);
          response.once("end", () => {
            const contentType = String(response.headers["content-type"] ?? "");
            const status = response.statusCode ?? 0;
            try {
              resolve({ status, contentType, json: readWireBody(Buffer.concat(chunks), contentType) });
            } catch (error) {
              reject(error as Error);
            }
          });
        },
      );
      sent.once("error", reject);
      sent.end(body?.bytes);
    });
  }

  /**
   * Watches until `isDone` is satisfied. @throws Error after the limit, with the received events.
   */
  async watchUntil(path: string, isDone: (events: readonly WatchEvent[]) => boolean, limitMs = 30_000) {
    const events: WatchEvent[] = [];
    const reader = new WireFrameReader(this.encoding);
    const stop = AbortSignal.timeout(limitMs);
    await new Promise<void>((resolve, reject) => {
      const sent = request(
        `${this.#cluster.url}${path}${path.includes("?") ? "&" : "?"}watch=true`,
        { ca: this.#cluster.identities.authority.certificate, headers: this.#headers(undefined, {}), signal: stop },
        (response) => {
          response.on("data", (chunk: Buffer) => {
            events.push(...reader.read(chunk));
            if (!isDone(events)) return;
            sent.destroy();
            resolve();
          });
          response.once("close", () => reject(new Error(`the watch of ${path} ended`)));
        },
      );
      sent.once("error", (error) => {
        const seen = events.map(({ type, object }) => `${type} ${object?.metadata?.name}`).join(", ");
        reject(new Error(`the watch of ${path} saw only: ${seen || "nothing"}`, { cause: error }));
      });
      sent.end();
    });
    return events;
  }

  #headers(body: { contentType: string } | undefined, more: Record<string, string>): Record<string, string> {
    return {
      authorization: `Bearer ${this.#cluster.identities.token}`,
      accept: mediaTypes[this.encoding],
      ...(body === undefined ? {} : { "content-type": body.contentType }),
      ...more,
    };
  }
}

/** Returns the answer's object. @throws Error with the answer if it has another status. */
export async function expectStatus(status: number, answering: Promise<Answer>): Promise<Json> {
  const answer = await answering;
  if (answer.status === status) return answer.json;
  throw new Error(`answered with ${answer.status}, not ${status}: ${JSON.stringify(answer.json)}`);
}

/**
 * Moves the time of a cluster with a steered clock, step by step, until an answer is right.
 * @throws Error with the last answer.
 */
export async function eventuallyInTime(
  api: ConformanceClient,
  question: () => Promise<Json>,
  isRight: (answer: Json) => boolean,
  { step = "5s", steps = 60 } = {},
) {
  for (let left = steps; ; left--) {
    const answer: Json = await question();
    if (isRight(answer)) return answer;
    if (left === 0) throw new Error(`not so after ${steps} times ${step}: ${JSON.stringify(answer)}`);
    await advance(api, step);
  }
}

/** Moves the time of a cluster with a steered clock. */
export async function advance(api: ConformanceClient, time: string): Promise<void> {
  const body = { bytes: Buffer.from(JSON.stringify({ advance: time })), contentType: "application/json" };
  await expectStatus(200, api.call("POST", "/apis/kintsugi.dev/v1alpha1/clock", body));
}

/** Repeats a request until its answer is right. @throws Error with the last answer. */
export async function eventually(question: () => Promise<Json>, isRight: (answer: Json) => boolean, limitMs = 30_000) {
  for (const end = Date.now() + limitMs; ;) {
    const answer: Json = await question();
    if (isRight(answer)) return answer;
    if (Date.now() > end) throw new Error(`not so after ${limitMs} ms: ${JSON.stringify(answer)}`);
    await sleep(50);
  }
}
