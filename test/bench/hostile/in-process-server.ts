import { silentLogger, silentMetrics } from "@kintsugi/api";
import { collectGarbage, takenBytes, threadWorkedMs, TurnMeter } from "@kintsugi/api/testing";
import { createApiServer } from "@kintsugi/api-server/factory";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { MemoryStore } from "@kintsugi/store/simulated";
import type { HostileRequest } from "./hostile-request.ts";

type Handle = ReturnType<typeof createApiServer>["handle"];

/** The cost of one hostile request for the process that answered it. */
export interface Cost {
  status: number;
  /** The longest time for which the event loop was blocked. A busy machine makes it much longer. */
  longestBlockMs: number;
  /**
   * The processor time of the event loop's thread in the meantime, as Linux accounts for it, so
   * without other work on the machine.
   */
  workedMs: number;
  /** The processor time of the longest turn of the event loop. */
  turnWorkedMs: number;
  answerBytes: number;
  /** The memory that remains in use after the answer and a garbage collection. */
  keptBytes: number;
}

/**
 * An API server in this process, without a network, to which hostile requests are sent one after
 * the other.
 */
export class InProcessServer implements AsyncDisposable {
  readonly #handle: Handle;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #prepared = new Map<HostileRequest, Promise<unknown>>();
  readonly #ready: Promise<void>;

  constructor() {
    const store = new MemoryStore({ clock: systemClock });
    const server = createApiServer(
      { store, clock: systemClock, random: systemRandom, log: silentLogger, metrics: silentMetrics },
      {},
    );
    this.#handle = server.handle;
    this.#running = server.run(this.#stop.signal);
    this.#ready = server.ready;
  }

  async cost(request: HostileRequest): Promise<Cost> {
    await this.#ready;
    if (request.needs !== undefined) await this.#prepare(request.needs);
    const body = request.body?.();
    const bytes = body === undefined || body instanceof Uint8Array ? body : Buffer.from(body);
    collectGarbage();
    const takenBefore = takenBytes();
    const blocks = watchBlocks();
    using meter = new TurnMeter();
    const workedBeforeMs = threadWorkedMs();
    const answer = await this.#send(request, bytes);
    let answerBytes = 0;
    if (answer.body instanceof Uint8Array) answerBytes = answer.body.byteLength;
    else for await (const chunk of answer.body) answerBytes += chunk.byteLength;
    const longestBlockMs = await blocks.end();
    const workedMs = threadWorkedMs() - workedBeforeMs;
    const turnWorkedMs = meter.takeLongestMs();
    collectGarbage();
    const keptBytes = takenBytes() - takenBefore;
    return { status: answer.status, longestBlockMs, workedMs, turnWorkedMs, answerBytes, keptBytes };
  }

  #prepare(needed: HostileRequest): Promise<unknown> {
    const prepared = this.#prepared.get(needed) ?? this.cost(needed);
    this.#prepared.set(needed, prepared);
    return prepared;
  }

  #send({ method, path, contentType = "application/json", as }: HostileRequest, body: Uint8Array | undefined) {
    return this.#handle({
      method,
      path,
      headers: { "user-agent": "hostile", ...(body === undefined ? {} : { "content-type": contentType }) },
      ...(body === undefined ? {} : { body }),
      identity: as === "admin" ? { name: "admin", groups: ["system:masters"] } : { name: "nobody", groups: [] },
      signal: new AbortController().signal,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

/** Measures gaps between turns of the event loop, beginning with the current one. */
function watchBlocks(): { end(): Promise<number> } {
  let last = performance.now();
  let longest = 0;
  let ended = false;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!ended) setImmediate(look);
  };
  setImmediate(look);
  return {
    end: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      ended = true;
      await new Promise((resolve) => setImmediate(resolve));
      return longest;
    },
  };
}
