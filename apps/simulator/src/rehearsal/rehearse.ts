import { findCondition, isPodActive, isPodBound, type Node, nodes, type Pod, pods } from "@kintsugi/api";
import {
  type Answer,
  WorkloadAvailability,
  changedStart,
  commandOf,
  comparedRows,
  type ChangeComparison,
  drainQuestion,
  type RunOutcome,
  makeRehearsalReport,
  objectsOf,
  packStart,
  podsAreUnknown,
  type ClusterPicture,
  lacksPods,
  proposeChanges,
  type ProposedChange,
  type RehearsalQuestion,
  questionsAbout,
  type QuestionSubject,
  type RehearsalReport,
  type SilentDependencies,
  silentDependencies,
  type StartState,
  startState,
  summarize,
  type Timings,
  timingsOf,
  type TriedChange,
  unpackStart,
  upgradeQuestion,
} from "@kintsugi/rehearsal";
import { objectsByResource } from "./cluster/behaviour.ts";
import type { Runs } from "./runs/run-order.ts";
import { recordWorstRuns, type WatchedRun } from "./runs/record-worst-runs.ts";

export interface RehearsalOptions {
  /**
   * The subjects of questions about a loss. Undefined: nodes, unless another question is requested.
   */
  readonly every: QuestionSubject | undefined;
  readonly drainAll: boolean;
  readonly upgrade: boolean;
  readonly surge: number;
  readonly runs: number;
  readonly seed: number;
  /** True if changes are tried, which about doubles the time. */
  readonly changes: boolean;
  /** True if the source is manifests, whose pods are created before the questions. */
  readonly isUnsettled: boolean;
  /** True if the worst runs are recorded, for a page on which they can be watched. */
  readonly isWatched?: boolean | undefined;
  /** Dependencies that are down in every question, as `--without` names them. */
  readonly without?: string | undefined;
  /** A change of the cluster: the questions are answered without and with the change. */
  readonly change?: RehearsedChange | undefined;
  /** Makes the questions of a scenario, for the nodes and workloads of the cluster. */
  readonly scenario?: ((cluster: ScenarioCluster) => RehearsalQuestion) | undefined;
}

/** A change of a cluster, such as a pull request's. */
interface RehearsedChange {
  readonly name: string;
  readonly objects: readonly string[];
  /** The cluster in its source, with the changed objects. */
  readonly picture: ClusterPicture;
}

/** The names that a scenario may use. */
interface ScenarioCluster {
  readonly nodes: readonly Node[];
  readonly workloads: readonly string[];
}

export interface RehearsalDeps {
  readonly workers: Runs;
  /** Called as runs end. */
  readonly onProgress: (done: number, all: number, last: Answer | undefined) => void;
}

/**
 * Answers all questions about a cluster, and returns the report. The report depends only on the
 * arguments.
 */
export async function answerQuestions(
  picture: ClusterPicture,
  deps: RehearsalDeps,
  options: RehearsalOptions,
): Promise<RehearsalReport> {
  return (await rehearseAndRecord(picture, deps, options)).report;
}

/** A report, and the runs that were recorded for it. */
export interface Rehearsed {
  readonly report: RehearsalReport;
  readonly watched: readonly WatchedRun[];
}

/** Does the same as `answerQuestions`, and records the worst runs if requested. */
export async function rehearseAndRecord(
  picture: ClusterPicture,
  deps: RehearsalDeps,
  options: RehearsalOptions,
): Promise<Rehearsed> {
  return new Rehearsal(picture, deps, options).run();
}

/** Preparing a start costs as much as four runs, and saves two fifths of each run. */
const preparedRunsMin = 12;

class Rehearsal {
  readonly #picture: ClusterPicture;
  readonly #deps: RehearsalDeps;
  readonly #options: RehearsalOptions;
  readonly #timings: Timings;

  constructor(picture: ClusterPicture, deps: RehearsalDeps, options: RehearsalOptions) {
    this.#picture = picture;
    this.#deps = deps;
    this.#options = options;
    this.#timings = timingsOf(picture);
  }

  async run(): Promise<Rehearsed> {
    const { isUnsettled, change, without } = this.#options;
    const silent = silentDependencies(this.#picture, without);
    const before = await this.#answered("cluster", this.#picture, { silent, isUnsettled });
    if (change === undefined) {
      const report = await this.#report(before, { picture: this.#picture, silent });
      return { report, watched: await this.#watch("cluster", before) };
    }
    const after = await this.#answered("changed cluster", change.picture, { silent, isUnsettled: true });
    const compared: ChangeComparison = {
      name: change.name,
      objects: change.objects,
      unplaced: unplacedIn(after.start),
      rows: comparedRows(before.answers, after.answers),
    };
    const report = await this.#report(after, { picture: change.picture, silent, compared });
    return { report, watched: await this.#watch("changed cluster", after) };
  }

  async #watch(cluster: string, { answers }: Answered): Promise<WatchedRun[]> {
    return this.#options.isWatched === true ? recordWorstRuns(this.#deps.workers, { cluster, answers }) : [];
  }

  async #answered(
    name: string,
    picture: ClusterPicture,
    { silent, isUnsettled }: { silent: SilentDependencies; isUnsettled: boolean },
  ): Promise<Answered> {
    const imported = startState(picture);
    const start =
      isUnsettled || podsAreUnknown(picture)
        ? await this.#simulated("settle", `${name} before its rollout`, imported)
        : imported;
    const { workloads, downBefore } = surveyed(start);
    const silentWebhooks = silent.addresses;
    const questions = this.#questions(picture, workloads).map((question) =>
      silentWebhooks.length === 0 ? question : { ...question, silentWebhooks },
    );
    const isPrepared = questions.length * this.#options.runs >= preparedRunsMin;
    this.#add(name, isPrepared ? await this.#simulated("prepare", `${name} before its runs`, start) : start);
    return { start, downBefore, answers: await this.#ask(name, questions, this.#options.runs) };
  }

  async #report(
    { start, downBefore, answers }: Answered,
    { picture, silent, compared }: { picture: ClusterPicture; silent: SilentDependencies; compared?: ChangeComparison },
  ): Promise<RehearsalReport> {
    const { runs, seed, isUnsettled, changes } = this.#options;
    const isMade = isUnsettled || compared !== undefined || podsAreUnknown(picture);
    return makeRehearsalReport({
      picture: isMade ? { ...picture, objects: objectsByResource(start) } : picture,
      start,
      timings: this.#timings,
      without: silent.named,
      answers,
      seed,
      runsPerQuestion: runs,
      downBefore,
      changes: changes ? await this.#tryChanges(start, answers) : [],
      compared,
    });
  }

  #questions(picture: ClusterPicture, workloads: readonly string[]): RehearsalQuestion[] {
    const { every, drainAll, upgrade, surge, scenario } = this.#options;
    const subject = every ?? (drainAll || upgrade || scenario !== undefined ? undefined : "node");
    return [
      ...(scenario === undefined ? [] : [scenario({ nodes: objectsOf(picture, nodes), workloads })]),
      ...(subject === undefined ? [] : questionsAbout(picture, subject, workloads)),
      ...(drainAll ? [drainQuestion(picture)] : []),
      ...(upgrade ? [upgradeQuestion(picture, surge)] : []),
    ];
  }

  /**
   * The first run of every question precedes the second run of any question, so that results arrive
   * early.
   */
  async #ask(cluster: string, questions: readonly RehearsalQuestion[], runs: number): Promise<Answer[]> {
    const { workers } = this.#deps;
    // The runs of changes are not counted, because their number is only known after the first
    // answers.
    const onProgress = cluster.endsWith("cluster") ? this.#deps.onProgress : () => {};
    const outcomes = questions.map((): RunOutcome[] => []);
    const all = questions.length * runs;
    let done = 0;
    await Promise.all(
      Array.from({ length: runs }, (_, run) => run).flatMap((run) =>
        questions.map(async (question, index) => {
          const report = await workers.carryOut({
            do: "live",
            name: cluster,
            question,
            seed: this.#options.seed + run,
          });
          const own = outcomes[index];
          if (!("outcome" in report) || own === undefined) return;
          own[run] = report.outcome;
          done++;
          onProgress(done, all, done === 1 ? summarize(question, [report.outcome]) : undefined);
        }),
      ),
    );
    return questions.map((question, index) => summarize(question, outcomes[index] ?? []));
  }

  async #tryChanges(start: StartState, answers: readonly Answer[]): Promise<TriedChange[]> {
    const tried = await Promise.all(
      proposeChanges(start, answers).map((change, index) =>
        this.#tryChange(start, { change, name: `change ${index}`, answers }),
      ),
    );
    const gainOf = (change: TriedChange) => change.beforeMs - change.afterMs;
    return tried
      .filter(helps)
      .toSorted((a, b) => endedBy(b) - endedBy(a) || gainOf(b) - gainOf(a) || (a.what < b.what ? -1 : 1));
  }

  async #tryChange(
    start: StartState,
    { change, name, answers }: { change: ProposedChange; name: string; answers: readonly Answer[] },
  ): Promise<TriedChange> {
    const changed =
      change.instead === undefined
        ? await this.#simulated("settle", `${name} before its rollout`, changedStart(start, change))
        : start;
    this.#add(name, changed);
    const after = await this.#ask(name, change.instead ?? change.questions, 1);
    const before = answers.filter(({ question }) => change.questions.includes(question));
    this.#deps.workers.remove(name);
    return {
      what: change.what,
      command: commandOf(change),
      beforeMs: totalDowntimeMs(before),
      afterMs: totalDowntimeMs(after),
      pendingBefore: before.reduce((sum, { pending }) => sum + pending.length, 0),
      pendingAfter: after.reduce((sum, { pending }) => sum + pending.length, 0),
      stopsBefore: before.filter(stops).length,
      stopsAfter: after.filter(stops).length,
      endlessBefore: endless(before),
      endlessAfter: endless(after),
      brokenBefore: broken(before),
      brokenAfter: broken(after),
    };
  }

  async #simulated(work: "settle" | "prepare", name: string, start: StartState): Promise<StartState> {
    this.#add(name, start);
    const report = await this.#deps.workers.carryOut({ do: work, name, seed: this.#options.seed });
    this.#deps.workers.remove(name);
    return "start" in report ? unpackStart(report.start) : start;
  }

  #add(name: string, start: StartState): void {
    this.#deps.workers.add(name, { start: packStart(start), timings: this.#timings });
  }
}

/** A change is tried once, so a smaller gain may be chance. */
const gainMinMs = 1_000;

function helps(tried: TriedChange): boolean {
  const { beforeMs, afterMs, pendingBefore, pendingAfter, stopsBefore, stopsAfter } = tried;
  const { endlessBefore, endlessAfter, brokenBefore, brokenAfter } = tried;
  if (endlessAfter !== endlessBefore) return endlessAfter < endlessBefore;
  if (brokenAfter !== brokenBefore) return brokenAfter < brokenBefore;
  return (
    (beforeMs - afterMs >= gainMinMs && pendingAfter <= pendingBefore) ||
    pendingAfter < pendingBefore ||
    stopsAfter < stopsBefore
  );
}

/** The number of downtimes and drains that end because of a change. */
function endedBy({ endlessBefore, endlessAfter, stopsBefore, stopsAfter }: TriedChange): number {
  return endlessBefore - endlessAfter + stopsBefore - stopsAfter;
}

/** The workloads that are down forever, each in each question. */
function endless(answers: readonly Answer[]): number {
  return answers.reduce((sum, { workloads }) => sum + workloads.filter(({ downAtEnd }) => downAtEnd > 0.5).length, 0);
}

function broken(answers: readonly Answer[]): number {
  return answers.reduce((sum, { workloads }) => sum + workloads.filter(lacksPods).length, 0);
}

function stops({ drains }: Answer): boolean {
  return drains.some(({ isDone }) => !isDone);
}

/** A cluster with the answers to all questions about it. */
interface Answered {
  readonly start: StartState;
  readonly downBefore: readonly string[];
  readonly answers: readonly Answer[];
}

/** Sentences about the pods of a start that are on no node. */
function unplacedIn(start: StartState): string[] {
  const all = (objectsByResource(start).get(pods.resource) ?? []) as readonly Pod[];
  return all
    .filter((pod) => isPodActive(pod) && !isPodBound(pod))
    .map(({ metadata, status }) => {
      const because = findCondition(status?.conditions, "PodScheduled")?.message ?? "it waits for the scheduler";
      return `${metadata.namespace}/${metadata.name}: ${because}`;
    });
}

function totalDowntimeMs(answers: readonly Answer[]): number {
  return answers.reduce(
    (sum, { workloads }) =>
      sum + workloads.filter(({ downAtEnd }) => downAtEnd <= 0.5).reduce((own, { downtime }) => own + downtime.p50, 0),
    0,
  );
}

/** The workloads of a start, and the workloads without an available pod at the start. */
function surveyed(start: StartState): { workloads: string[]; downBefore: string[] } {
  const objects = objectsByResource(start);
  const availability = new WorkloadAvailability({ serves: (name) => name !== "" }, objects);
  for (const pod of (objects.get(pods.resource) ?? []) as readonly Pod[])
    availability.observe(`${pod.metadata.namespace}/${pod.metadata.name}`, pod, 0);
  const tracked = availability.workloads();
  return {
    workloads: tracked.map(({ workload }) => workload.name),
    downBefore: tracked.filter((each) => availability.availableOf(each) === 0).map(({ workload }) => workload.name),
  };
}
