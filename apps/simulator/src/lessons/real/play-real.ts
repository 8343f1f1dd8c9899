import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { countedNoun, findCondition, nodes, podDisruptionBudgets, pods, contextName } from "@kintsugi/api";
import { type Client, createHttpClient, createInformer, loadKubeconfig } from "@kintsugi/client";
import { type Clock, systemClock, systemRandom } from "@kintsugi/clock";
import { formatInstant, kindOf, type Scenario } from "@kintsugi/simulation";
import type { StoryRecording } from "@kintsugi/story";
import { stringify } from "yaml";
import { aBudget } from "../../run/workload-objects.ts";
import { LabCommands, LabFailed } from "./lab-commands.ts";
import type { RealAct, RealAction, RealPlan } from "./plan-real-run.ts";
import { missingImage, realWorkload } from "./real-workload.ts";
import { WatchedPods } from "./watched-pods.ts";

export interface RealRunDeps {
  /** The command of `kintsugi`, before its arguments. */
  readonly kintsugi: readonly string[];
  /** Receives one line for each act and each turn, when it happens. */
  readonly say: (line: string) => void;
  /** Ends the run; its cluster is removed. */
  readonly signal: AbortSignal;
}

export interface RealRunOptions {
  readonly scenario: Scenario;
  readonly plan: Extract<RealPlan, { isPossible: true }>;
  readonly kubeconfig: string;
  /** The cluster stays up after the run. */
  readonly keep: boolean;
}

/** A run on real containers, with an explanation of its first shortage that lasted. */
export interface RealRun {
  readonly recording: StoryRecording;
  readonly explained: { readonly atMs: number; readonly command: string; readonly lines: readonly string[] };
}

const namespace = "default";
/** A host that runs other work starts a cluster in a minute or two. */
const upWait = "3m";
/** The time until containers of an image that the nodes have are ready, on a busy host. */
const completeMs = 120_000;
/** The time after which a shortage is explained, so that the controllers' next step is included. */
const explainAfterMs = 2_000;

/**
 * Makes a cluster of real containers, plays the scenario on it, and removes it.
 * @throws LabFailed when the cluster cannot be made or changed.
 */
export async function playReal(deps: RealRunDeps, options: RealRunOptions): Promise<RealRun> {
  const { name } = options.plan.topology;
  const lab = new LabCommands(deps.kintsugi, name);
  if ((await lab.clusters()).includes(name))
    throw new LabFailed(
      `the cluster "${name}" of an earlier lesson exists: remove it with \`kintsugi down --name ${name}\``,
    );
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-lesson-"));
  const remove = () => lab.show(["down", "--name", name, "--kubeconfig", options.kubeconfig]);
  let isKept = false;
  try {
    const topology = join(directory, "topology.yaml");
    await writeFile(topology, stringify(options.plan.topology));
    await lab.show(["up", "--config", topology, "--kubeconfig", options.kubeconfig, "--wait", upWait]);
    const access = loadKubeconfig(options.kubeconfig, contextName(name));
    const client = createHttpClient(
      { clock: systemClock, random: systemRandom },
      { ...access, userAgent: "kintsugi-learn/v0.1.0" },
    );
    try {
      const run = await new RealPlay({ ...deps, lab, client, clock: systemClock }, options).run();
      isKept = options.keep;
      return run;
    } finally {
      await client.close();
    }
  } finally {
    if (!isKept) await remove();
    await rm(directory, { recursive: true, force: true });
  }
}

interface PlayDeps extends RealRunDeps {
  readonly lab: LabCommands;
  readonly client: Client;
  readonly clock: Clock;
}

/** The acts of one run, and all observations during them. */
class RealPlay {
  readonly #deps: PlayDeps;
  readonly #options: RealRunOptions;
  readonly #stop = new AbortController();
  readonly #watched: WatchedPods;
  readonly #paused = new Map<string, number>();
  #explained: RealRun["explained"] | undefined;
  #explaining: Promise<void> | undefined;
  #beganMs: number | undefined;

  constructor(deps: PlayDeps, options: RealRunOptions) {
    this.#deps = deps;
    this.#options = options;
    const wanted = options.scenario.workloads.map((workload): [string, number] => {
      const kind = kindOf(workload);
      return [workload.name, kind.wantedPods(realWorkload(workload, host()))];
    });
    this.#watched = new WatchedPods(new Map(wanted));
  }

  async run(): Promise<RealRun> {
    const { scenario, plan } = this.#options;
    const { clock, signal } = this.#deps;
    try {
      await this.#createWorkloads();
      await this.#follow();
      await this.#untilComplete();
      this.#begin();
      const failed = new AbortController();
      const acts = plan.acts.map((act) =>
        this.#actAtItsTime(act, AbortSignal.any([signal, failed.signal])).catch((error: unknown) => {
          failed.abort(error);
          throw error;
        }),
      );
      const over = clock.sleep(scenario.durationMs, AbortSignal.any([signal, failed.signal]));
      await Promise.all([...acts, over]);
      await this.#explaining;
      const explained = this.#explained ?? (await this.#explain());
      return { recording: this.#recording(), explained };
    } finally {
      this.#stop.abort();
      for (const [program, pid] of this.#paused)
        await this.#deps.lab.signal(program, "SIGCONT", pid).catch(() => undefined);
    }
  }

  #nowMs(): number {
    return this.#beganMs === undefined ? 0 : Math.round(this.#deps.clock.monotonicMs() - this.#beganMs);
  }

  #tell(text: string): void {
    this.#deps.say(`  ${formatInstant(Math.round(this.#nowMs() / 100) * 100).padStart(10)}  ${text}`);
  }

  async #createWorkloads(): Promise<void> {
    const { client } = this.#deps;
    for (const workload of this.#options.scenario.workloads) {
      const { name, minAvailable } = workload;
      await client.create(kindOf(workload).type, realWorkload(workload, host()), { namespace });
      if (minAvailable !== undefined)
        await client.create(podDisruptionBudgets, aBudget(name, minAvailable), { namespace });
    }
  }

  async #follow(): Promise<void> {
    const { client, clock } = this.#deps;
    const stop = this.#stop.signal;
    const deps = { client, clock, random: systemRandom };
    const podInformer = createInformer(deps, { type: pods, namespace });
    const nodeInformer = createInformer(deps, { type: nodes });
    podInformer.onChange(({ type, object }) => {
      this.#watched.pod(type === "deleted" ? "delete" : "put", object);
      this.#sample();
    });
    nodeInformer.onChange((change) => {
      if (change.type !== "modified" || this.#beganMs === undefined) return;
      const [before, now] = [change.before, change.object].map(
        ({ status }) => findCondition(status?.conditions, "Ready")?.status,
      );
      if (before !== now) this.#tell(`${change.object.metadata.name}: Ready=${now}`);
    });
    for (const informer of [podInformer, nodeInformer]) {
      void informer.run(stop).catch(() => undefined);
      await informer.waitForSync(AbortSignal.any([stop, this.#deps.signal]));
    }
  }

  /**
   * Returns when all pods are available. Pods whose containers crash early may never all be
   * available at the same time.
   */
  async #untilComplete(): Promise<void> {
    const { clock, signal } = this.#deps;
    const untilMs = clock.monotonicMs() + completeMs;
    while (!this.#watched.isWhole && clock.monotonicMs() < untilMs) await clock.sleep(100, signal);
  }

  #begin(): void {
    this.#watched.begin();
    this.#beganMs = this.#deps.clock.monotonicMs();
    const workloads = this.#options.scenario.workloads.map(({ name }) => {
      const { wanted, samples } = this.#watched.of(name);
      return `${name} has ${samples.at(-1)?.available ?? 0} of ${countedNoun(wanted, "pod")}`;
    });
    this.#tell(`The lesson begins: ${workloads.join(", ")}.`);
  }

  #sample(): void {
    const changed = this.#watched.sample(this.#nowMs());
    if (this.#beganMs === undefined) return;
    for (const name of changed) {
      const { wanted, samples } = this.#watched.of(name);
      const [before, now] = [samples.at(-2), samples.at(-1)];
      if (now === undefined) continue;
      if (before?.available !== now.available)
        this.#tell(`${name}: ${now.available} of ${countedNoun(wanted, "pod")} available`);
      if (now.ready < wanted && this.#explaining === undefined) this.#explaining = this.#explainSoon(name);
    }
  }

  /**
   * A shortage that ends immediately is not explained; a later shortage of the same workload may be
   * explained.
   */
  async #explainSoon(workload: string): Promise<void> {
    try {
      await this.#deps.clock.sleep(explainAfterMs, this.#stop.signal);
      const { wanted, samples } = this.#watched.of(workload);
      const isShort = (samples.at(-1)?.ready ?? 0) < wanted;
      if (isShort) this.#explained = await this.#explain(workload);
      else this.#explaining = undefined;
    } catch {
      // The run was ended, or the API server is down. The shortage is explained at the end of the
      // run.
    }
  }

  async #explain(workload = this.#options.scenario.workloads[0]?.name ?? ""): Promise<RealRun["explained"]> {
    const words = ["explain", "workload", workload];
    const atMs = this.#nowMs();
    const text = await this.#deps.lab.run(words);
    return { atMs, command: `kintsugi ${words.join(" ")}`, lines: text.trimEnd().split("\n") };
  }

  async #actAtItsTime({ atMs, action }: RealAct, signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(Math.max(0, atMs - this.#nowMs()), signal);
    await this.#do(action);
    this.#sample();
  }

  async #do(action: RealAction): Promise<void> {
    const { lab, client } = this.#deps;
    switch (action.is) {
      case "command": {
        this.#tell(`$ kintsugi ${action.words.join(" ")}`);
        const isBack = action.machine.is === "connected";
        if (!isBack) this.#watched.machine(action.machine);
        this.#sample();
        await lab.run(action.words);
        if (isBack) this.#watched.machine(action.machine);
        return;
      }
      case "pause": {
        const pid = await lab.signal(action.program, "SIGSTOP");
        this.#paused.set(action.program, pid);
        this.#tell(`$ kill -STOP ${pid}    (${action.program})`);
        return;
      }
      case "resume": {
        const pid = this.#paused.get(action.program);
        this.#paused.delete(action.program);
        if (pid === undefined) return;
        this.#tell(`$ kill -CONT ${pid}    (${action.program})`);
        await lab.signal(action.program, "SIGCONT", pid);
        return;
      }
      case "break-image":
      case "mend-image": {
        const workload = this.#options.scenario.workloads.find(({ name }) => name === action.workload);
        const kind = workload && kindOf(workload);
        if (workload === undefined || kind?.rollOut === undefined)
          throw new LabFailed(`the workload ${action.workload} cannot be rolled out`);
        const original = kind.rollOut.templateOf(realWorkload(workload, host()));
        const containers = (original?.spec?.containers ?? []).map((container) =>
          action.is === "mend-image" ? container : { ...container, image: missingImage },
        );
        this.#tell(`$ kubectl set image deployment/${action.workload} main=${containers[0]?.image}`);
        const body = kind.rollOut.patch({ spec: { containers } });
        await client.patch(kind.type, { namespace, name: action.workload }, { type: "merge", body });
      }
    }
  }

  #recording(): StoryRecording {
    const { scenario } = this.#options;
    const toMs = this.#deps.clock.nowMs();
    const fromMs = toMs - this.#nowMs();
    return {
      title: scenario.name,
      description: "",
      clusterName: this.#options.plan.topology.name,
      profile: scenario.profile,
      fromMs,
      toMs,
      steps: [],
      changes: [],
      hasObjects: false,
      captions: [],
      pods: scenario.workloads.map(({ name }) => {
        const { samples, counts } = this.#watched.of(name);
        return { workload: name, counts, samples: samples.map((each) => ({ ...each, atMs: fromMs + each.atMs })) };
      }),
    };
  }
}

function host(): { processors: number } {
  return { processors: availableParallelism() };
}
