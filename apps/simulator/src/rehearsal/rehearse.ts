import { type Pod, pods } from "@kintsugi/api";
import {
  type Answer,
  WorkloadAvailability,
  changedStart,
  commandOf,
  drainQuestion,
  type LifeOutcome,
  makeRehearsalReport,
  packStart,
  type ClusterPicture,
  proposeChanges,
  type ProposedChange,
  type RehearsalQuestion,
  questionsAbout,
  type QuestionSubject,
  type RehearsalReport,
  type StartState,
  startState,
  summarize,
  type Timings,
  timingsOf,
  type TriedChange,
  unpackStart,
  upgradeQuestion,
} from "@kintsugi/rehearsal";
import { objectsByResource } from "./life/drawn-behaviour.ts";
import type { Lives } from "./lives/life-order.ts";

export interface RehearsalOptions {
  /** The subjects of questions about a loss; undefined for nodes, where nothing else is asked. */
  readonly every: QuestionSubject | undefined;
  readonly drainAll: boolean;
  readonly upgrade: boolean;
  readonly surge: number;
  readonly lives: number;
  readonly seed: number;
  /** Changes are tried, which takes about as long again. */
  readonly changes: boolean;
  /** The source is manifests: their pods are made before anything is asked. */
  readonly isUnsettled: boolean;
}

export interface RehearsalDeps {
  readonly workers: Lives;
  /** Called as lives end. */
  readonly onProgress: (done: number, all: number, last: Answer | undefined) => void;
}

/**
 * Asks all questions about a cluster, and returns the report. It follows from its arguments alone.
 */
export async function answerQuestions(
  picture: ClusterPicture,
  deps: RehearsalDeps,
  options: RehearsalOptions,
): Promise<RehearsalReport> {
  return new Rehearsal(picture, deps, options).run();
}

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

  async run(): Promise<RehearsalReport> {
    const { lives, seed, isUnsettled } = this.#options;
    const imported = startState(this.#picture);
    const start = isUnsettled ? await this.#settled("manifests", imported) : imported;
    this.#add("cluster", start);
    const { workloads, downBefore } = surveyed(start);
    const answers = await this.#ask("cluster", this.#questions(workloads), lives);
    return makeRehearsalReport({
      picture: isUnsettled ? { ...this.#picture, objects: objectsByResource(start) } : this.#picture,
      start,
      timings: this.#timings,
      answers,
      seed,
      livesPerQuestion: lives,
      downBefore,
      changes: this.#options.changes ? await this.#tryChanges(start, answers) : [],
    });
  }

  #questions(workloads: readonly string[]): RehearsalQuestion[] {
    const { every, drainAll, upgrade, surge } = this.#options;
    const subject = every ?? (drainAll || upgrade ? undefined : "node");
    return [
      ...(subject === undefined ? [] : questionsAbout(this.#picture, subject, workloads)),
      ...(drainAll ? [drainQuestion(this.#picture)] : []),
      ...(upgrade ? [upgradeQuestion(this.#picture, surge)] : []),
    ];
  }

  /** The first life of every question goes before the second of any: so that answers come early. */
  async #ask(cluster: string, questions: readonly RehearsalQuestion[], lives: number): Promise<Answer[]> {
    const { workers } = this.#deps;
    // The lives of changes are not counted: their number is not known before the answers are.
    const onProgress = cluster === "cluster" ? this.#deps.onProgress : () => {};
    const outcomes = questions.map((): LifeOutcome[] => []);
    const all = questions.length * lives;
    let done = 0;
    await Promise.all(
      Array.from({ length: lives }, (_, life) => life).flatMap((life) =>
        questions.map(async (question, index) => {
          const report = await workers.carryOut({
            do: "live",
            name: cluster,
            question,
            seed: this.#options.seed + life,
          });
          const own = outcomes[index];
          if (!("outcome" in report) || own === undefined) return;
          own[life] = report.outcome;
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
    return tried
      .filter(
        ({ beforeMs, afterMs, pendingBefore, pendingAfter }) => afterMs < beforeMs || pendingAfter < pendingBefore,
      )
      .toSorted((a, b) => b.beforeMs - b.afterMs - (a.beforeMs - a.afterMs));
  }

  async #tryChange(
    start: StartState,
    { change, name, answers }: { change: ProposedChange; name: string; answers: readonly Answer[] },
  ): Promise<TriedChange> {
    const changed = await this.#settled(`${name} before its rollout`, changedStart(start, change));
    this.#add(name, changed);
    const after = await this.#ask(name, change.questions, 1);
    const before = answers.filter(({ question }) => change.questions.includes(question));
    this.#deps.workers.remove(name);
    return {
      what: change.what,
      command: commandOf(change),
      beforeMs: totalDowntimeMs(before),
      afterMs: totalDowntimeMs(after),
      pendingBefore: before.reduce((sum, { pending }) => sum + pending.length, 0),
      pendingAfter: after.reduce((sum, { pending }) => sum + pending.length, 0),
    };
  }

  async #settled(name: string, start: StartState): Promise<StartState> {
    this.#add(name, start);
    const report = await this.#deps.workers.carryOut({ do: "settle", name, seed: this.#options.seed });
    this.#deps.workers.remove(name);
    return "start" in report ? unpackStart(report.start) : start;
  }

  #add(name: string, start: StartState): void {
    this.#deps.workers.add(name, { start: packStart(start), timings: this.#timings });
  }
}

function totalDowntimeMs(answers: readonly Answer[]): number {
  return answers.reduce(
    (sum, { workloads }) => sum + workloads.reduce((own, { downtime }) => own + downtime.p50, 0),
    0,
  );
}

/** The workloads of a start, and those that have no available pod in it. */
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
