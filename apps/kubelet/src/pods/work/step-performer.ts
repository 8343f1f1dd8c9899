import { defaultGracePeriodSeconds, type Container } from "@kintsugi/api";
import type { ContainerRuntime } from "@kintsugi/cri";
import { crashLoopMessage } from "@kintsugi/rules";
import { unreachable } from "../../base/unreachable.ts";
import { sandboxConfig } from "../../containers/config/sandbox-config.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { Files } from "../../machine/files/files.ts";
import type { ImageKeeper, ImageOutcome } from "../../containers/images/image-keeper.ts";
import type { ImageVolumes, MountableImages } from "../../containers/images/image-volumes.ts";
import { type NodeContext, podDirectory, podLogDirectory } from "../../model/node-context.ts";
import { formatPod } from "../../model/bound-pod.ts";
import { noPodRestarts } from "../../model/escalation.ts";
import type { StartFailures } from "../status/start-failures.ts";
import type { PodPart, SyncedPod } from "../parts/pod-part.ts";
import type { ContainerResizer } from "./container-resizer.ts";
import type { ContainerStarter } from "./container-starter.ts";
import type { KillsUnderWay } from "./kills-under-way.ts";
import type { PodStopper } from "./pod-stopper.ts";
import type { SandboxStarter, UsableSandbox } from "./sandbox-starter.ts";
import { holdsUpNobody, type KillStep, type PodStep, type StartStep } from "../plan/steps.ts";
import type { ProvidedVolume } from "../../containers/volumes/plugins/volume-plugin.ts";
import type { Volumes } from "../../containers/volumes/volumes.ts";
import { formatGoDuration } from "../../base/go-duration.ts";

export interface StepPerformerDeps {
  runtime: Pick<ContainerRuntime, "stopContainer">;
  events: PodEvents;
  files: Files;
  parts: readonly PodPart[];
  images: ImageKeeper;
  imageVolumes: Pick<ImageVolumes, "ensure">;
  sandboxes: SandboxStarter;
  volumes: Pick<Volumes, "provide" | "reset">;
  starter: ContainerStarter;
  resizer: ContainerResizer;
  stopper: PodStopper;
  kills: Pick<KillsUnderWay, "begin">;
  failures: StartFailures;
}

export interface PerformRequest extends SyncedPod {
  steps: readonly PodStep[];
}

export interface PerformResult {
  /** The runtime has changed, so the pod has to be inspected again. */
  progressed: boolean;
  retryAfterMs: number | undefined;
  /** Containers that could not be started. */
  failed: ReadonlySet<string>;
}

interface Round extends SyncedPod {
  /** The pod's directories, while they are being created. */
  directories: Promise<unknown> | undefined;
  images: Map<string, Promise<ImageOutcome>>;
  imageVolumes: MountableImages;
  sandbox: UsableSandbox | undefined;
  /** The pod's volumes for the containers to be started, after their provision has begun. */
  volumes: Promise<ReadonlyMap<string, ProvidedVolume>> | undefined;
  /** Every part has prepared the sandbox, or a container in it. */
  isPrepared: boolean;
  progressed: boolean;
  retryAfterMs: number | undefined;
  failed: Set<string>;
}

/**
 * Performs a pod's steps in order. A failed step ends the round, unless other containers do not
 * depend on it.
 */
export class StepPerformer {
  readonly #deps: StepPerformerDeps;
  readonly #node: NodeContext;
  readonly #errorBackoffMs: number;
  /**
   * The instance for whose back-off an event was last emitted, by pod and container, so that each
   * has one event.
   */
  readonly #toldBackoffs = new Map<string, Map<string, string>>();

  constructor(deps: StepPerformerDeps, options: { node: NodeContext; errorBackoffMs: number }) {
    this.#deps = deps;
    this.#node = options.node;
    this.#errorBackoffMs = options.errorBackoffMs;
  }

  async perform({ pod, observed, steps }: PerformRequest, signal: AbortSignal): Promise<PerformResult> {
    const round: Round = {
      pod,
      observed,
      directories: undefined,
      images: new Map(),
      imageVolumes: new Map(),
      sandbox: this.#deps.sandboxes.find({ pod, observed }),
      volumes: undefined,
      isPrepared: false,
      progressed: false,
      retryAfterMs: undefined,
      failed: new Set(),
    };
    const starts = steps.filter((step) => step.kind === "start-container");
    if (starts.length > 0) this.#prepare(round, starts, signal);
    try {
      for (const step of steps) if (!(await this.#performStep(round, step, signal))) break;
    } finally {
      // Nothing is written after the end of the round, even after an error.
      await Promise.allSettled([round.directories, round.volumes]);
    }
    return { progressed: round.progressed, retryAfterMs: round.retryAfterMs, failed: round.failed };
  }

  forget(uid: string): void {
    this.#toldBackoffs.delete(uid);
  }

  /**
   * Creates directories, and pulls the images of all containers to be started, while the sandbox is
   * being created.
   */
  #prepare(round: Round, starts: readonly StartStep[], signal: AbortSignal): void {
    const { pod } = round;
    round.directories = awaitedLater(
      Promise.all([
        this.#deps.files.makeDirectory(podDirectory(this.#node, pod.metadata.uid)),
        this.#deps.files.makeDirectory(podLogDirectory(this.#node, pod.metadata), 0o755),
      ]),
    );
    const config = round.sandbox?.config ?? sandboxConfig(pod, { attempt: 0, podRestarts: noPodRestarts }, this.#node);
    for (const { container } of starts) {
      const ensuring = this.#deps.images.ensure(
        { pod, container: container as Container, sandboxConfig: config },
        signal,
      );
      round.images.set(container.name, awaitedLater(ensuring));
    }
    const containers = starts.map(({ container }) => container);
    round.imageVolumes = this.#deps.imageVolumes.ensure({ pod, containers, sandboxConfig: config }, signal);
  }

  /** Resolves with whether the next step may be performed. */
  async #performStep(round: Round, step: PodStep, signal: AbortSignal): Promise<boolean> {
    const { pod, observed } = round;
    switch (step.kind) {
      case "stop-pod":
        if (step.because === "sandbox-changed") {
          const message = "Pod sandbox changed, it will be killed and re-created.";
          this.#deps.events.normal(pod, "SandboxChanged", message);
        } else if (step.because === "restart-requested") {
          const message =
            "Restart of the whole pod was requested, it will start again in a new sandbox with empty volumes.";
          this.#deps.events.normal(pod, "Restarting", message);
        }
        await this.#deps.stopper.stopPod({ pod, observed }, signal);
        round.progressed = true;
        return true;
      case "escalate":
        this.#deps.events.warning(pod, "Escalating", step.message, step.container);
        await this.#deps.stopper.stopPod({ pod, observed }, signal);
        round.progressed = true;
        return true;
      case "reset-volumes":
        await this.#deps.volumes.reset(pod);
        return true;
      case "create-sandbox": {
        const { directories } = round;
        // Volumes do not wait for the sandbox, but are made at the same time, as in upstream's
        // `SyncPod`.
        const onStart = () => {
          if (round.images.size > 0) void this.#provideVolumes(round);
        };
        const sandbox = await this.#deps.sandboxes.start(pod, { life: step, directories, onStart }, signal);
        if (!sandbox) return this.#endRound(round);
        round.sandbox = sandbox;
        round.isPrepared = true;
        round.progressed = true;
        return true;
      }
      case "kill-container":
        await this.#kill(round, step, signal);
        return true;
      case "start-container":
        return this.#start(round, step, signal);
      case "resize-container":
        if (await this.#deps.resizer.resize(round, step, signal)) round.progressed = true;
        else this.#retry(round, this.#errorBackoffMs);
        return true;
      case "hold-container":
        this.#hold(round, step);
        return true;
      default:
        return unreachable(step);
    }
  }

  async #kill(round: Round, step: KillStep, signal: AbortSignal): Promise<void> {
    const { pod, observed } = round;
    const { container, message, reason, graceSeconds } = step;
    const request = { pod, observed, container, message, reason, graceSeconds };
    const kill = () => this.#deps.stopper.stopContainer(request, signal);
    if (holdsUpNobody(step)) {
      this.#deps.kills.begin({ uid: pod.metadata.uid, containerId: container.id }, kill, signal);
      return;
    }
    await kill();
    round.progressed = true;
  }

  /** Ends a round in which a part delays the pod. */
  #endRound(round: Round): false {
    this.#retry(round, this.#errorBackoffMs);
    return false;
  }

  #retry(round: Round, afterMs: number): void {
    round.retryAfterMs = Math.min(round.retryAfterMs ?? Infinity, afterMs);
  }

  #provideVolumes(round: Round): NonNullable<Round["volumes"]> {
    return (round.volumes ??= awaitedLater(this.#deps.volumes.provide(round.pod)));
  }

  async #start(round: Round, step: StartStep, signal: AbortSignal): Promise<boolean> {
    const { pod, sandbox } = round;
    const pulled = await round.images.get(step.container.name);
    if (!sandbox || !pulled) throw new Error(`no sandbox to start ${step.container.name} in`);
    const { parts } = this.#deps;
    for (const part of parts)
      if (part.reserve && part.isReserved?.(pod) !== true && !(await part.reserve(pod, signal)))
        return this.#endRound(round);
    await Promise.all([
      ...(round.isPrepared ? [] : parts.map((part) => part.beforeContainer?.(pod))),
      round.directories,
    ]);
    round.isPrepared = true;
    const volumes = this.#provideVolumes(round);
    const { imageVolumes } = round;
    const inSandbox = { sandboxId: sandbox.id, sandboxConfig: sandbox.config, podIps: sandbox.ips };
    const request = { pod, step, ...inSandbox, volumes, imageVolumes };
    const outcome = await this.#deps.starter.start(request, pulled, signal);
    const { uid } = pod.metadata;
    if (outcome.kind === "started") {
      this.#deps.failures.clear(uid, step.container.name);
      round.progressed = true;
      return true;
    }
    this.#deps.failures.set(uid, step.container.name, outcome.failure);
    if (outcome.kind === "hook-failed") {
      await this.#deps.runtime.stopContainer(
        outcome.containerId,
        pod.spec.terminationGracePeriodSeconds ?? defaultGracePeriodSeconds,
        signal,
      );
      round.progressed = true;
      return step.role !== "init";
    }
    round.failed.add(step.container.name);
    this.#retry(round, outcome.retryAfterMs ?? this.#errorBackoffMs);
    return step.role !== "init";
  }

  #hold(round: Round, step: Extract<PodStep, { kind: "hold-container" }>): void {
    const { pod } = round;
    const { uid } = pod.metadata;
    const told = this.#toldBackoffs.get(uid) ?? new Map<string, string>();
    if (told.get(step.name) !== step.exitedId) {
      const message = `Back-off restarting failed container ${step.name} in pod ${formatPod(pod)}`;
      this.#deps.events.warning(pod, "BackOff", message, step.name);
      this.#toldBackoffs.set(uid, told.set(step.name, step.exitedId));
    }
    const backoff = formatGoDuration(step.backoffMs);
    const message = crashLoopMessage({ container: step.name, pod: formatPod(pod) }, backoff);
    this.#deps.failures.set(uid, step.name, { reason: "CrashLoopBackOff", message });
    this.#retry(round, step.remainingMs);
  }
}

/**
 * The starter of a container awaits the preparation. When no container reaches that point, the
 * failure is not reported.
 */
function awaitedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
