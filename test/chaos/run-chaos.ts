import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ReplicaSet, replicaSets } from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { aReplicaSet, checkHistory, type History } from "@kintsugi/simulation";
import { LogUnreachable, StoreUnavailable } from "@kintsugi/store";
import { type Containers, containersChanged, observeContainers } from "./checks/containers.ts";
import { notRecovered } from "./checks/recovery.ts";
import { RevisionLog } from "./checks/revision-log.ts";
import { readFromDisk, readFromEtcd } from "./checks/log-readers.ts";
import type { ChaosViolation } from "./checks/violation.ts";
import { type ChaosCluster, startChaosCluster } from "./cluster/chaos-cluster.ts";
import { between, type Fault, type Injected, type World } from "./faults/fault.ts";
import { type Load, startLoad } from "./load/start-load.ts";
import { pause } from "./load/writers.ts";
import { type ChaosReport, describeFaults, type Round, seconds } from "./report.ts";

export interface ChaosOptions {
  /**
   * Chooses faults, targets and the clients' calls; the machine determines the order of the
   * processes' work.
   */
  seed: number;
  /**
   * The time after which no new round begins; undefined runs each fault once, in the given order.
   */
  durationMs: number | undefined;
  faults: readonly Fault[];
  nodeCount: number;
  /** The machines of the control plane. Default 1, which is the host. */
  servers?: number;
  /** Maximum duration of any step. */
  lastsMaxMs: number;
  /** Time limit of the cluster's recovery. */
  recoveryMaxMs: number;
  /** The directory for journal and logs after a violation. */
  evidenceDirectory: string;
  say: (line: string) => void;
  /** Ends the run early; the part until then is evaluated. */
  signal: AbortSignal;
}

const replicas = 6;
/** Number of rounds of a hundred that have two faults at the same time. */
const doubleRounds = 25;
/** The log is read before compaction, which runs every 5 min, can remove any of it. */
const readLogEveryMs = 100_000;
/** A read of an unreachable log takes up to 3 s and a pause of 1 s, so a minute in total. */
const logReadsMax = 15;

/**
 * Injects faults into a real cluster under load, and compares all observations with its invariants.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  await using cluster = await startChaosCluster({
    name: `chaos-${process.pid}`,
    nodeCount: options.nodeCount,
    servers: options.servers ?? 1,
  });
  return await new ChaosRun(cluster, options).run();
}

class ChaosRun {
  readonly #cluster: ChaosCluster;
  readonly #options: ChaosOptions;
  readonly #random: Random;
  readonly #log: RevisionLog;
  readonly #rounds: Round[] = [];
  readonly #notInjected: { name: string; because: string }[] = [];
  readonly #violations: ChaosViolation[] = [];
  #logReadAtMs = 0;
  #stirs = 0;

  constructor(cluster: ChaosCluster, options: ChaosOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#log = new RevisionLog(cluster.serverNames.length > 0 ? readFromEtcd(cluster) : readFromDisk(cluster));
  }

  async run(): Promise<ChaosReport> {
    const { seed } = this.#options;
    await this.#createSet("web", replicas);
    const load = await startLoad(this.#cluster, { seed });
    const startedMs = performance.now();
    try {
      const { recoveredAfterMs } = await this.#recover(load, startedMs);
      this.#options.say(`the cluster is whole, ${seconds(recoveredAfterMs)} after its clients began`);
      this.#logReadAtMs = startedMs;
      await this.#hurt(load, startedMs);
    } finally {
      await load.stop();
    }
    await this.#readLog();
    return this.#judge(load, performance.now() - startedMs);
  }

  async #hurt(load: Load, startedMs: number): Promise<void> {
    const { durationMs, faults } = this.#options;
    let deck: Fault[] = durationMs === undefined ? [...faults] : [];
    while (this.#isWhole() && !this.#options.signal.aborted) {
      if (durationMs !== undefined && performance.now() - startedMs > durationMs) return;
      if (deck.length === 0) {
        if (durationMs === undefined) return;
        deck = shuffled(this.#random, faults);
      }
      const first = deck.shift();
      const chosen = [first, this.#secondTo(first, deck)].filter((fault) => fault !== undefined);
      await this.#round(chosen, load);
      if (performance.now() - this.#logReadAtMs > readLogEveryMs) await this.#readLog();
    }
  }

  /** Sometimes draws a second fault, of another family, and removes it from the deck. */
  #secondTo(first: Fault | undefined, deck: Fault[]): Fault | undefined {
    const isDouble = this.#options.durationMs !== undefined && this.#random.integer(100) < doubleRounds;
    if (!isDouble || first === undefined || first.alone) return undefined;
    const index = deck.findIndex(({ family, alone }) => family !== first.family && !alone);
    return index < 0 ? undefined : deck.splice(index, 1)[0];
  }

  async #round(chosen: readonly Fault[], load: Load): Promise<void> {
    const before = await observeContainers(this.#cluster);
    const startedMs = performance.now();
    const injected: { fault: Fault; what: Extract<Injected, { onto: string }> }[] = [];
    for (const fault of chosen) {
      const what = await this.#inject(fault);
      if ("onto" in what) injected.push({ fault, what });
      else this.#notInjected.push({ name: fault.name, because: what.notInjected });
    }
    // Half of the faults are injected into a cluster that is busy with pods.
    if (this.#random.integer(2) === 0) await this.#stir();
    const lastsMs = Math.max(0, ...injected.map(({ fault }) => between(this.#random, fault.lastsMs)));
    await pause(Math.min(lastsMs, this.#options.lastsMaxMs), this.#options.signal);
    for (const { what } of injected.toReversed()) await what.undo();
    const undoneMs = performance.now();
    const recovery = await this.#recover(load, undoneMs);
    if (injected.length === 0) return;
    const faults = injected.map(({ fault: { name, family }, what }) => ({ name, family, onto: what.onto }));
    const round = { faults, startedMs, lastedMs: undoneMs - startedMs, ...recovery };
    this.#rounds.push(round);
    const lasted = round.lastedMs < 1_000 ? "" : `, for ${seconds(round.lastedMs)}`;
    this.#options.say(`${describeFaults(round)}${lasted}: whole after ${seconds(recovery.recoveredAfterMs)}`);
    await this.#compareContainers(before, chosen, describeFaults(round));
  }

  /**
   * The first of two faults may have disabled a part that the second needs: an answer, a process
   * that can be signaled.
   */
  async #inject(fault: Fault): Promise<Injected> {
    try {
      return await fault.inject(this.#world());
    } catch (error) {
      return { notInjected: (error as Error).message };
    }
  }

  async #compareContainers(before: Containers, chosen: readonly Fault[], what: string): Promise<void> {
    if (chosen.some(({ keeps }) => keeps === undefined) || !this.#isWhole()) return;
    const keeps = chosen.length === 1 && chosen[0]?.keeps === "pods" ? "pods" : "containers";
    const changed = containersChanged(before, await observeContainers(this.#cluster), keeps);
    for (const { invariant, message } of changed) this.#violate(invariant, `${what}: ${message}`);
  }

  #world(): World {
    return { cluster: this.#cluster, random: this.#random, stir: () => this.#stir() };
  }

  /**
   * Creates a set of pods, and deletes the previous set. If the API does not answer, nothing is
   * changed.
   */
  async #stir(): Promise<void> {
    await this.#deleteStir().catch(() => {});
    await this.#createSet(`stir-${++this.#stirs}`, 3).catch(() => {});
  }

  async #deleteStir(): Promise<void> {
    if (this.#stirs === 0) return;
    const key = { namespace: "default", name: `stir-${this.#stirs}` };
    if ((await this.#cluster.client.find(replicaSets, key, { timeoutMs: 3_000 })) === undefined) return;
    await this.#cluster.client.delete(replicaSets, key, { propagationPolicy: "Background", timeoutMs: 3_000 });
  }

  async #createSet(name: string, count: number): Promise<void> {
    const container = { name: "main", image: "busybox:1", command: ["sleep", "36000"] };
    const spec = { terminationGracePeriodSeconds: 0, containers: [container] };
    const wanted: ReplicaSet = aReplicaSet(name, count, { spec });
    await this.#cluster.client.create(replicaSets, wanted, { timeoutMs: 3_000 });
  }

  /** Waits until the cluster has recovered; otherwise reports a violation. */
  async #recover(load: Load, sinceMs: number): Promise<Pick<Round, "recoveredAfterMs" | "waitedFor">> {
    const deadlineMs = performance.now() + this.#options.recoveryMaxMs;
    let waitedFor: string[] = [];
    for (;;) {
      await this.#deleteStir().catch(() => {});
      const wrong = await notRecovered({
        cluster: this.#cluster,
        replicas,
        informer: load.informer,
        answeredSinceMs: sinceMs,
        lastAnswersMs: load.lastAnswersMs(),
      });
      if (wrong.length === 0) return { recoveredAfterMs: performance.now() - sinceMs, waitedFor };
      waitedFor = wrong;
      if (performance.now() > deadlineMs) {
        this.#violate(
          "cluster-converges",
          `not whole after ${seconds(this.#options.recoveryMaxMs)}: ${wrong.join("; ")}`,
        );
        return { waitedFor };
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #isWhole(): boolean {
    return !this.#violations.some(({ invariant }) => invariant === "cluster-converges");
  }

  #violate(invariant: string, message: string): void {
    this.#violations.push({ invariant, message });
    this.#options.say(`VIOLATION ${invariant}: ${message}`);
  }

  async #readLog(): Promise<void> {
    this.#logReadAtMs = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#log.read();
      } catch (error) {
        // An etcd that does not answer yet is not evidence of a fault in the log.
        if (!(error instanceof LogUnreachable || error instanceof StoreUnavailable) || attempt === logReadsMax)
          return this.#violate("writes-are-durable", `the log does not prove itself: ${(error as Error).message}`);
        await pause(1_000, this.#options.signal);
      }
    }
  }

  async #judge(load: Load, durationMs: number): Promise<ChaosReport> {
    const history: History = { ...load.journal.history(), commits: this.#log.commits };
    const { calls, lists, watches } = history;
    const broken = [...checkHistory(history), this.#log.violation].filter((violation) => violation !== undefined);
    this.#violations.push(...broken.map(({ invariant, message }) => ({ invariant, message })));
    const count = (is: string) => calls.filter(({ outcome }) => outcome.is === is).length;
    const report: ChaosReport = {
      seed: this.#options.seed,
      durationMs,
      rounds: this.#rounds.map((round) => ({ ...round, writeStallMs: longestStallMs(round, calls) })),
      notInjected: this.#notInjected,
      operations: {
        ok: count("ok"),
        refused: count("refused"),
        unknown: count("unknown"),
        lists: lists.length,
        watchedEvents: watches.reduce((sum, { frames }) => sum + frames.length, 0),
        refusals: countBy(calls.flatMap(({ outcome }) => (outcome.is === "refused" ? [outcome.reason] : []))),
      },
      log: { ...this.#log.counts(), ofTheLoad: this.#log.commits.length },
      violations: this.#violations,
    };
    if (this.#violations.length === 0) return report;
    return { ...report, evidence: await this.#keepEvidence(history, report) };
  }

  /** Keeps the evidence of a violation: the journal, the report, and every process's log. */
  async #keepEvidence(history: History, report: ChaosReport): Promise<string> {
    const directory = this.#options.evidenceDirectory;
    await mkdir(directory, { recursive: true });
    const { calls, lists, watches, commits = [], finals = [] } = history;
    const records = [...calls, ...lists, ...watches, ...commits, ...finals];
    await writeFile(join(directory, "journal.jsonl"), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    await writeFile(join(directory, "report.json"), JSON.stringify(report, null, 2));
    await cp(this.#cluster.known.paths.logs, join(directory, "logs"), { recursive: true });
    return directory;
  }
}

/** The longest time without an acknowledged write, from a round's first fault to its recovery. */
function longestStallMs({ startedMs, lastedMs, recoveredAfterMs = 0 }: Round, calls: History["calls"]): number {
  const endMs = startedMs + lastedMs + recoveredAfterMs;
  const times = calls
    .filter((call) => call.verb !== "get" && call.outcome.is === "ok" && call.endMs > startedMs && call.endMs < endMs)
    .map((call) => call.endMs)
    .toSorted((a, b) => a - b);
  let longest = 0;
  let beforeMs = startedMs;
  for (const atMs of [...times, endMs]) {
    longest = Math.max(longest, atMs - beforeMs);
    beforeMs = atMs;
  }
  return longest;
}

function countBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const left = [...items];
  return items.map(() => left.splice(random.integer(left.length), 1)[0] as T);
}
