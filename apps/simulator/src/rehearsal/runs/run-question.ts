import {
  type ApiObject,
  type Event,
  findCondition,
  isPodActive,
  isPodBound,
  isPodReady,
  type Job,
  type Pod,
  type PodDisruptionBudget,
} from "@kintsugi/api";
import {
  WorkloadAvailability,
  type RunOutcome,
  downtimeWithin,
  type RehearsalQuestion,
  endlessPodsText,
  keeps,
  budgetSelects,
  podsMadeMax,
  type StartState,
  type TrackedWorkload,
  withSurge,
} from "@kintsugi/rehearsal";
import type { StoryRecording } from "@kintsugi/story";
import { Aftershocks } from "../cluster/aftershocks.ts";
import { CauseChains } from "../cluster/cause-chains.ts";
import { type Behaviour, objectsByResource } from "../cluster/behaviour.ts";
import { askQuestion } from "../questions/ask-question.ts";
import { RehearsedCluster } from "../cluster/rehearsed-cluster.ts";
import { RunRecording } from "./run-recording.ts";

export interface QuestionRunDeps {
  readonly start: StartState;
  readonly behaviour: Behaviour;
}

export interface QuestionRunOptions {
  readonly question: RehearsalQuestion;
  readonly seed: number;
}

/**
 * Time until the services work and each node has renewed its Lease, before the question's change.
 */
const settleMs = 12_000;
/** The time of a fault is random within the interval of a Lease. */
const faultWithinMs = 10_000;
/**
 * The longest time from the last fault to the end of a run: silence, toleration, back-offs and a
 * forced detach.
 */
const runMaxMs = 20 * 60_000;
const stepMs = 5_000;
/** Time for which a cluster has to be complete before it counts as idle. */
const wholeRestMs = 20_000;
/**
 * Time without a change of a pod after which an incomplete cluster counts as idle, because all of
 * its timers have expired.
 */
const brokenRestMs = 120_000;

/** Simulates one question with one seed. */
export async function runQuestion(deps: QuestionRunDeps, options: QuestionRunOptions): Promise<RunOutcome> {
  return (await simulate(deps, options, { isRecorded: false })).outcome;
}

/** Simulates one question with one seed, like `runQuestion`, and records it for a player. */
export async function recordRun(deps: QuestionRunDeps, options: QuestionRunOptions): Promise<StoryRecording> {
  const { recording } = await simulate(deps, options, { isRecorded: true });
  if (recording === undefined) throw new Error("the run was not recorded");
  return recording;
}

async function simulate(
  deps: QuestionRunDeps,
  { question, seed }: QuestionRunOptions,
  { isRecorded }: { isRecorded: boolean },
): Promise<{ outcome: RunOutcome; recording: StoryRecording | undefined }> {
  const { behaviour } = deps;
  const start = question.kind === "drains" ? withSurge(deps.start, question.surge ?? 0) : deps.start;
  const { silentWebhooks } = question;
  // A scenario injects faults into containers and probes, which only a kubelet observes.
  const managesAllPods = question.kind === "scenario";
  await using cluster = new RehearsedCluster(
    { start, behaviour },
    { seed, silentWebhooks, isRecorded, managesAllPods },
  );
  const run = new QuestionRun(cluster, start);
  const recorder = isRecorded ? new RunRecording(cluster) : undefined;
  await cluster.start();
  await cluster.advance(settleMs + cluster.randomSource.of("moment of the fault").float() * faultWithinMs);
  run.begin();
  recorder?.begin();
  const { done, drains } = askQuestion(question, cluster, {
    workloadOf: (pod) => run.workloadOf(pod),
    noteNodes: () => run.noteNodes(cluster.nodes.map(({ name }) => name)),
  });
  const losesNoMore = question.kind === "nodes-off" || question.kind === "pods-deleted";
  // A player would show nodes with rare heartbeats as silent.
  if (losesNoMore && !isRecorded) cluster.loseNoMore();
  await run.untilRest(done);
  const [death] = cluster.deaths;
  if (death !== undefined) throw new Error(`${death.process} died in the rehearsal`, { cause: death.error });
  const outcome = run.outcome(seed, drains);
  return { outcome, recording: recorder?.recorded(question, outcome, run.workloads()) };
}

class QuestionRun {
  readonly #cluster: RehearsedCluster;
  readonly #availability: WorkloadAvailability;
  readonly #chains: CauseChains;
  readonly #aftershocks: Aftershocks;
  readonly #budgets: readonly PodDisruptionBudget[];
  readonly #madeMax: number;
  #beganMs = 0;
  #changedMs = 0;
  #endMs = 0;
  #before = new Map<TrackedWorkload, number>();
  readonly #lost = new Set<string>();
  /**
   * The pods that were not Ready before the question's change, so the change is not the reason that
   * they are not Ready.
   */
  readonly #unready = new Set<string>();

  constructor(cluster: RehearsedCluster, start: StartState) {
    const objects = objectsByResource(start);
    this.#cluster = cluster;
    this.#madeMax = podsMadeMax(start);
    this.#budgets = (objects.get("poddisruptionbudgets") ?? []) as readonly PodDisruptionBudget[];
    this.#availability = new WorkloadAvailability({ serves: (name) => name !== "" && cluster.serves(name) }, objects);
    this.#chains = new CauseChains((pod) => this.#availability.workloadOf(pod).name);
    this.#aftershocks = new Aftershocks((pod) => this.#availability.workloadOf(pod));
    for (const pod of (objects.get("pods") ?? []) as readonly Pod[]) this.#availability.observe(podKey(pod), pod, 0);
    cluster.onPulled = (nodeName, waitedMs) => this.#aftershocks.observePull(nodeName, waitedMs);
    cluster.store.subscribe((changes) => {
      for (const change of changes) {
        const { resource, type } = change;
        if (resource === "core/pods") {
          this.#changedMs = this.#atMs();
          const pod = cluster.read<Pod>(change);
          this.#availability.observe(podKey(pod), type === "delete" ? undefined : pod, this.#atMs());
          this.#chains.observePod(pod, type, this.#atMs());
          this.#aftershocks.observePod(pod, type, this.#cluster.clock.nowMs());
        } else if (resource === "core/nodes" && type === "put")
          this.#chains.observeNode(cluster.read(change), this.#atMs());
        else if (resource === "core/events" && type === "put") this.#observeEvent(cluster.read<Event>(change));
        else if (resource === "batch/jobs" && type === "put") this.#aftershocks.observeJob(cluster.read<Job>(change));
        else if (resource === "apps/replicasets" && type === "put")
          this.#availability.addOwner({ ...cluster.read<ApiObject>(change), kind: "ReplicaSet" });
      }
    });
  }

  /** Starts counting at the present time. */
  begin(): void {
    this.#beganMs = this.#cluster.nowMs;
    this.#availability.begin();
    this.#chains.begin(this.#cluster.pods.all());
    this.#aftershocks.begin(this.#cluster.pods.all());
    for (const pod of this.#cluster.pods.all()) if (!isPodReady(pod)) this.#unready.add(pod.metadata.uid ?? "");
    for (const { name } of this.#cluster.nodes) if (!this.#cluster.serves(name)) this.#lost.add(name);
    this.#before = new Map(
      this.#availability.workloads().map((tracked) => [tracked, this.#availability.availableOf(tracked)]),
    );
  }

  workloads(): readonly TrackedWorkload[] {
    return this.#availability.workloads();
  }

  workloadOf(pod: Pod): string {
    return this.#availability.workloadOf(pod).name;
  }

  noteNodes(names: readonly string[]): void {
    this.#availability.observeNodes(new Set(names), this.#atMs());
    for (const name of names) {
      const serves = this.#cluster.serves(name);
      if (serves === !this.#lost.has(name)) continue;
      if (serves) this.#lost.delete(name);
      else this.#lost.add(name);
      const lost = this.#cluster.node(name).isOn ? "is cut off" : "fails";
      this.#chains.nodeTurns(name, serves ? "is back" : lost, this.#atMs());
    }
  }

  async untilRest(done: Promise<void>): Promise<void> {
    let isAsked = false;
    const settled = () => (isAsked = true);
    done.then(settled, settled);
    let wholeSinceMs: number | undefined;
    let askedMs = 0;
    while (!isAsked || this.#atMs() - askedMs < runMaxMs) {
      await this.#cluster.advance(stepMs);
      if (!isAsked) askedMs = this.#atMs();
      this.#cluster.letSleep();
      if (this.#isEndless()) break;
      if (!isAsked || this.#leaves()) continue;
      wholeSinceMs = this.#isWhole() ? (wholeSinceMs ?? this.#atMs()) : undefined;
      if (wholeSinceMs !== undefined && this.#atMs() - wholeSinceMs >= wholeRestMs) break;
      if (this.#atMs() - this.#changedMs >= brokenRestMs && !this.#cluster.volumes.isMoving) break;
    }
    if (!this.#isEndless()) await done;
    this.#endMs = this.#atMs();
  }

  outcome(seed: number, drains: RunOutcome["drains"]): RunOutcome {
    const all = [...this.#cluster.pods.all()];
    const firstPods = new Map(
      all.toReversed().map((pod): [string, Pod] => [this.#availability.workloadOf(pod).name, pod]),
    );
    const workloads = this.#availability.workloads().flatMap((tracked) => {
      const before = this.#before.get(tracked) ?? 0;
      const { name, kind, unmodelledOwner } = tracked.workload;
      const minAvailable = this.#keptByBudgets(tracked, firstPods.get(name));
      const measured = downtimeWithin(tracked.samples, { endMs: this.#endMs, before, minAvailable });
      if (before === 0 || measured.degradedMs === 0) return [];
      const chain = this.#chains.of(name);
      return [
        {
          workload: name,
          kind,
          before,
          wanted: tracked.wanted,
          ...measured,
          chain,
          ...(unmodelledOwner === undefined ? {} : { unmodelledOwner }),
        },
      ];
    });
    return {
      seed,
      durationMs: this.#endMs,
      workloads,
      pending: all
        .filter((pod) => !isPodBound(pod) && isPodActive(pod))
        .map((pod) => ({
          pod: podKey(pod),
          workload: this.#availability.workloadOf(pod).name,
          because: findCondition(pod.status?.conditions, "PodScheduled")?.message ?? "it waits for the scheduler",
        })),
      stuck: all.flatMap((pod) => this.#stuck(pod)),
      drains,
      aftermath: this.#aftershocks.aftermath(this.#wholeMs()),
      ...(this.#isEndless() ? { cutShort: endlessPodsText(this.#cluster.pods.mostMadeBy) } : {}),
    };
  }

  #isEndless(): boolean {
    return this.#cluster.pods.made > this.#madeMax;
  }

  #atMs(): number {
    return Math.round(this.#cluster.nowMs - this.#beganMs);
  }

  /**
   * Every workload has as many pods as before, and no pod on a silent lost node remains to be
   * evicted.
   */
  #isWhole(): boolean {
    for (const [tracked, before] of this.#before) {
      if (tracked.workload.kind === "DaemonSet") continue;
      if (this.#availability.availableOf(tracked) < before) return false;
    }
    return true;
  }

  /**
   * The time at which the last workload again had as many pods as before the fault; undefined if a
   * workload has fewer pods.
   */
  #wholeMs(): number | undefined {
    let wholeMs = 0;
    for (const [{ workload, samples }, before] of this.#before) {
      if (workload.kind === "DaemonSet") continue;
      const last = samples.findLastIndex(({ available }) => available < before);
      if (last < 0) continue;
      const healed = samples[last + 1];
      if (healed === undefined) return undefined;
      wholeMs = Math.max(wholeMs, healed.atMs);
    }
    return wholeMs;
  }

  /**
   * Reports whether pods are about to be deleted: pods of nodes whose silence is not detected yet,
   * or still tolerated.
   */
  #leaves(): boolean {
    for (const pod of this.#cluster.pods.all()) {
      const serves = this.#cluster.serves(pod.spec?.nodeName ?? "");
      const isGoing = pod.metadata.deletionTimestamp !== undefined;
      if (isGoing ? serves : isPodActive(pod) && isPodBound(pod) && !serves && !staysForEver(pod)) return true;
    }
    return false;
  }

  #observeEvent({ reason, message = "", involvedObject }: Event): void {
    if (reason !== "FailedCreate") return;
    const workload = this.#availability.workloadOfOwner(involvedObject.uid ?? "");
    if (workload !== undefined) this.#chains.observeRefusal(workload.name, message, this.#atMs());
  }

  /** @param own a pod of the workload. */
  #keptByBudgets({ wanted }: TrackedWorkload, own: Pod | undefined): number {
    if (own === undefined) return 0;
    return Math.max(
      0,
      ...this.#budgets.filter((budget) => budgetSelects(budget, own)).map((budget) => keeps(budget, wanted)),
    );
  }

  #stuck(pod: Pod): RunOutcome["stuck"] {
    const nodeName = pod.spec?.nodeName ?? "";
    const entry = {
      pod: podKey(pod),
      workload: this.#availability.workloadOf(pod).name,
      nodeName,
      isTerminating: false,
    };
    if (pod.metadata.deletionTimestamp !== undefined && !this.#cluster.serves(nodeName))
      return [
        {
          ...entry,
          isTerminating: true,
          because: `it is Terminating forever: only the kubelet of ${nodeName}, which is off, could confirm that the pod has ended`,
        },
      ];
    if (!isPodBound(pod) || !isPodActive(pod) || isPodReady(pod) || !this.#cluster.serves(nodeName)) return [];
    if (this.#unready.has(pod.metadata.uid ?? "")) return [];
    const [claim] = this.#cluster.volumes.heldElsewhere(pod);
    if (claim !== undefined)
      return [{ ...entry, because: `its volume ${claim} is still attached to the node of another pod (Multi-Attach)` }];
    const waiting = pod.status?.containerStatuses?.find(({ state }) => state?.waiting !== undefined)?.state?.waiting;
    return [{ ...entry, because: waiting?.reason ?? "it runs but is not Ready" }];
  }
}

/**
 * Reports whether the pod tolerates the taint of a lost node without a limit, as daemons do, so
 * that the taint does not evict the pod.
 */
function staysForEver({ spec }: Pod): boolean {
  return (spec?.tolerations ?? []).some(
    ({ key, operator, effect, tolerationSeconds }) =>
      tolerationSeconds === undefined &&
      operator === "Exists" &&
      (key === undefined || key === "node.kubernetes.io/unreachable") &&
      (effect === undefined || effect === "NoExecute"),
  );
}

function podKey({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
