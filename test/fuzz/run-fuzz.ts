import { readFileSync } from "node:fs";
import fc from "fast-check";
import { prepareApiServer } from "../support/servers/api-server-process.ts";
import { costFaults, keptBytesMax, turnWorkedMsMax } from "@kintsugi/api/testing";
import { type Canary, type Fault, faultsOf, rightfulName, signatureOf } from "./checks.ts";
import { examples } from "./examples.ts";
import { BodyGrammar } from "./grammar/body-grammar.ts";
import type { FuzzRequest } from "./grammar/fuzz-request.ts";
import { requestGrammar } from "./grammar/request-grammar.ts";
import { discoverRoutes } from "./grammar/routes.ts";
import { type FuzzTarget, httpsTarget } from "./target.ts";
import { hiddenState, makeWorld, tidy } from "./world.ts";

export interface FuzzOptions {
  readonly seed: number;
  readonly durationMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

export interface Finding {
  readonly signature: string;
  /** The smallest request that shows the fault, in a readable form. */
  readonly request: string;
  readonly because: string;
}

export interface FuzzReport {
  readonly seed: number;
  readonly requests: number;
  readonly answers: Readonly<Record<string, number>>;
  /** The number of correct answers of 500 and more, by the name of their reason. */
  readonly rightful: Readonly<Record<string, number>>;
  readonly routes: number;
  readonly findings: readonly Finding[];
  /** The memory of the server, in MB: when it was warm, and at the end. */
  readonly rssMegabytes: readonly [number, number];
}

/**
 * The batches of one property. Between them the created objects are deleted, and the namespace's
 * admin gets back the rights that it has removed.
 */
const batchesPerRound = 40;
/** The concurrent requests, by any identities. */
const requestsPerBatchMax = 6;
/** The search ends after this number of different faults. */
const findingsMax = 20;
/**
 * Limit of the growth after the first rounds, which covers windows, caches and V8's slack. A leak
 * of a request's body is larger.
 */
const growthMaxMegabytes = 300;

/** Sends arbitrary requests to a separate API server for a while. */
export async function runFuzz({ seed, durationMs, signal, say }: FuzzOptions): Promise<FuzzReport> {
  await using server = await prepareApiServer({ reportsCost: true });
  await server.start();
  const routes = await discoverRoutes(server.client);
  const world = await makeWorld(server, routes);
  const grammar = requestGrammar(routes, await BodyGrammar.read(server.client, examples));
  const { server: url, ca } = server.access;
  await using target = httpsTarget({ server: url, ca, credentials: world.credentials });
  await tidy(server.client, routes);
  const before = await hiddenState(server.client, routes);
  const hunt = new Hunt({
    target,
    canaries: world.canaries,
    grammar,
    work: {
      workedMs: () => workedMs(server.pid()),
      longestTurnMs: () => server.longestTurnMs(),
    },
    memory: {
      residentMegabytes: () => (isAlive(server.pid()) ? rssMegabytes(server.pid()) : 0),
      keptMegabytes: async () => (await server.keptBytes()) / 2 ** 20,
    },
  });
  const endMs = performance.now() + durationMs;
  let warmMegabytes: number | undefined;
  for (let round = 0; performance.now() < endMs && !signal.aborted; round++) {
    await hunt.round(seed + round, endMs - performance.now());
    await tidy(server.client, routes).catch((error: unknown) =>
      hunt.add("crash", "the admin's requests", String(error)),
    );
    if (hunt.findings.length >= findingsMax || !isAlive(server.pid())) break;
    if (round === 5) warmMegabytes = rssMegabytes(server.pid());
    if (round % 20 === 0) say(`${hunt.requests} requests, ${hunt.findings.length} findings`);
  }
  if (!isAlive(server.pid())) hunt.add("crash", "the last batch", "the server has ended");
  else {
    if ((await hiddenState(server.client, routes)) !== before)
      hunt.add("changed", "some request", "objects that no identity may write were written");
    warmMegabytes ??= rssMegabytes(server.pid());
  }
  const megabytes = isAlive(server.pid()) ? rssMegabytes(server.pid()) : 0;
  if (megabytes > (warmMegabytes ?? megabytes) + growthMaxMegabytes)
    hunt.add("growth", "all requests", `from ${warmMegabytes} to ${megabytes} MB`);
  return {
    seed,
    requests: hunt.requests,
    answers: hunt.answers,
    rightful: hunt.rightful,
    routes: routes.length,
    findings: hunt.findings,
    rssMegabytes: [warmMegabytes ?? 0, megabytes],
  };
}

export interface HuntDeps {
  readonly target: FuzzTarget;
  readonly canaries: readonly Canary[];
  readonly grammar: fc.Arbitrary<FuzzRequest>;
  /** The work of the server's event loop; without it the work is not measured. */
  readonly work?: ServerWork;
  /** The memory of the server; without it the memory is not measured. */
  readonly memory?: ServerMemory;
}

interface ServerWork {
  /** The processor time of its event loop so far. */
  workedMs(): number;
  /** The processor time of its longest turn since the last call. */
  longestTurnMs(): Promise<number>;
}

interface ServerMemory {
  /** The resident memory, including garbage. */
  residentMegabytes(): number;
  /** The memory after a garbage collection, which takes the server a while. */
  keptMegabytes(): Promise<number>;
}

/** Sends batches of drawn requests, and minimizes each request with a faulty answer. */
export class Hunt {
  readonly #deps: HuntDeps;
  readonly #findings = new Map<string, Finding>();
  readonly #answers: Record<string, number> = {};
  readonly #rightful: Record<string, number> = {};
  #requests = 0;
  /** The minimum memory of the server after the last garbage collection. */
  #residentMegabytes = Infinity;

  constructor(deps: HuntDeps) {
    this.#deps = deps;
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  get requests(): number {
    return this.#requests;
  }

  /** The number of answers by status; "0": the connection ended without an answer. */
  get answers(): Readonly<Record<string, number>> {
    return this.#answers;
  }

  get rightful(): Readonly<Record<string, number>> {
    return this.#rightful;
  }

  add(kind: string, request: string, because: string): void {
    this.#findings.set(`${kind} ${because}`, { signature: kind, request, because });
  }

  /** Ends early when `timeLimitMs` has passed, even while it minimizes a request. */
  async round(seed: number, timeLimitMs: number): Promise<void> {
    const batch = fc.array(this.#deps.grammar, { minLength: 1, maxLength: requestsPerBatchMax });
    let found: { request: FuzzRequest; fault: Fault } | undefined;
    const property = fc.asyncProperty(batch, async (requests) => {
      const workedBeforeMs = this.#workedMs();
      const faults = (await Promise.all(requests.map((request) => this.#ask(request)))).flat();
      if (this.#workedMs() - workedBeforeMs > turnWorkedMsMax) faults.push(...(await this.#blocking(requests)));
      if (this.#hasGrown()) faults.push(...(await this.#keeping(requests)));
      const isNew = faults.find(({ request, fault }) => !this.#findings.has(signatureOf(request, fault)));
      if (isNew === undefined) return;
      found = isNew;
      throw new Error(isNew.fault.because);
    });
    await fc.check(property, {
      seed,
      numRuns: batchesPerRound,
      interruptAfterTimeLimit: Math.max(1, timeLimitMs),
      markInterruptAsFailure: false,
    });
    if (found === undefined) return;
    const signature = signatureOf(found.request, found.fault);
    this.#findings.set(signature, { signature, request: shown(found.request), because: found.fault.because });
  }

  #workedMs(): number {
    return this.#deps.work?.workedMs() ?? 0;
  }

  /**
   * Repeats the requests of a slow batch, each alone: by then the code is compiled, and other
   * requests are not measured with it.
   */
  async #blocking(requests: readonly FuzzRequest[]): Promise<{ request: FuzzRequest; fault: Fault }[]> {
    const { work } = this.#deps;
    if (work === undefined) return [];
    const found: { request: FuzzRequest; fault: Fault }[] = [];
    for (const request of requests) {
      await work.longestTurnMs();
      await this.#ask(request);
      const cost = { turnWorkedMs: await work.longestTurnMs(), keptBytes: 0 };
      found.push(...costFaults(cost).map((fault) => ({ request, fault })));
    }
    return found;
  }

  /**
   * Only a server that has grown may retain memory, so no collection is forced after most batches.
   */
  #hasGrown(): boolean {
    const megabytes = this.#deps.memory?.residentMegabytes() ?? 0;
    this.#residentMegabytes = Math.min(this.#residentMegabytes, megabytes);
    return (megabytes - this.#residentMegabytes) * 2 ** 20 > keptBytesMax;
  }

  /** Repeats the requests of a batch after which the server has grown, each alone. */
  async #keeping(requests: readonly FuzzRequest[]): Promise<{ request: FuzzRequest; fault: Fault }[]> {
    const { memory } = this.#deps;
    if (memory === undefined) return [];
    const found: { request: FuzzRequest; fault: Fault }[] = [];
    let beforeMegabytes = await memory.keptMegabytes();
    for (const request of requests) {
      await this.#ask(request);
      const keptMegabytes = await memory.keptMegabytes();
      const cost = { turnWorkedMs: 0, keptBytes: (keptMegabytes - beforeMegabytes) * 2 ** 20 };
      found.push(...costFaults(cost).map((fault) => ({ request, fault })));
      beforeMegabytes = keptMegabytes;
    }
    this.#residentMegabytes = memory.residentMegabytes();
    return found;
  }

  async #ask(request: FuzzRequest): Promise<{ request: FuzzRequest; fault: Fault }[]> {
    this.#requests++;
    try {
      const answer = await this.#deps.target.send(request);
      this.#answers[answer.status] = (this.#answers[answer.status] ?? 0) + 1;
      const rightful = rightfulName(request, answer);
      if (rightful !== undefined) this.#rightful[rightful] = (this.#rightful[rightful] ?? 0) + 1;
      return faultsOf(request, answer, this.#deps.canaries).map((fault) => ({ request, fault }));
    } catch (error) {
      return [{ request, fault: { kind: "hang", because: String(error) } }];
    }
  }
}

function shown({ identity, protocol, method, path, headers, body }: FuzzRequest): string {
  const lines = [`${method} ${cut(path)} (${identity}, ${protocol})`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push("", cut(Buffer.from(body).toString("utf8")));
  return lines.join("\n");
}

function cut(text: string): string {
  return text.length > 1500 ? `${text.slice(0, 1500)}… (${text.length} characters)` : text;
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/**
 * The processor time of the main thread so far, in nanoseconds at the beginning of its schedstat.
 * Zero once the process has ended.
 */
function workedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1_000_000;
  } catch {
    return 0;
  }
}

function rssMegabytes(pid: number): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
