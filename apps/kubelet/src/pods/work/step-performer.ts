import type { Container } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { type ContainerRuntime, type PodSandboxConfig, RuntimeError } from "@kintsugi/cri";
import { crashLoopMessage } from "@kintsugi/rules";
import { unreachable } from "../../base/unreachable.ts";
import { CgroupError } from "../../machine/kernel/cgroups.ts";
import type { PodCgroups } from "../../containers/cgroups/pod-cgroups.ts";
import { memoryDecreases, refuseDecreases } from "./memory-decrease.ts";
import { TimeIsUp, within } from "../../base/within.ts";
import { containerResources } from "../../containers/cgroups/container-resources.ts";
import { type DeviceClaims, DeviceError } from "../../containers/devices/device-claims.ts";
import type { RuntimeClasses } from "../../containers/config/runtime-classes.ts";
import type { SandboxDns } from "../../containers/config/sandbox-dns.ts";
import { sandboxConfig, type SandboxLife, sandboxRefusal } from "../../containers/config/sandbox-config.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { Files } from "../../machine/files/files.ts";
import type { ImageKeeper, ImageOutcome } from "../../containers/images/image-keeper.ts";
import type { RegistryCredential } from "../../containers/images/registry-credentials.ts";
import type { PullSecrets } from "../../containers/images/pull-secrets.ts";
import type { Limiter } from "../../base/limiter.ts";
import { type NodeContext, podDirectory, podLogDirectory } from "../../model/node-context.ts";
import { type BoundPod, formatPod } from "../../model/bound-pod.ts";
import { noPodRestarts, podRestartsOf } from "../../model/escalation.ts";
import type { ObservedPod } from "../../model/observed-pod.ts";
import { podIpsOf } from "../../model/pod-ips.ts";
import type { PodResizes } from "../admission/pod-resizes.ts";
import type { StartFailures } from "../status/start-failures.ts";
import type { ContainerStarter } from "./container-starter.ts";
import type { KillsUnderWay } from "./kills-under-way.ts";
import type { PodStopper } from "./pod-stopper.ts";
import { sandboxVerdict } from "../plan/sandbox-verdict.ts";
import { holdsUpNobody, type KillStep, type PodStep, type StartStep } from "../plan/steps.ts";
import type { ProvidedVolume } from "../../containers/volumes/plugins/volume-plugin.ts";
import type { Volumes } from "../../containers/volumes/volumes.ts";
import { formatGoDuration } from "../../base/go-duration.ts";

export interface StepPerformerDeps {
  runtime: ContainerRuntime;
  events: PodEvents;
  files: Files;
  images: ImageKeeper;
  pullSecrets: PullSecrets;
  starter: ContainerStarter;
  stopper: PodStopper;
  kills: Pick<KillsUnderWay, "begin">;
  volumes: Volumes;
  failures: StartFailures;
  resizes: Pick<PodResizes, "actuated" | "failed" | "record">;
  podCgroups: Pick<PodCgroups, "ensure" | "makeRoom">;
  dns: Pick<SandboxDns, "of">;
  runtimeClasses: Pick<RuntimeClasses, "handlerOf">;
  devices: Pick<DeviceClaims, "prepare" | "isPrepared">;
  starts: Limiter;
  clock: Clock;
}

/** The answer about a pod's memory takes a runtime no longer than this, or the resize waits. */
const usageMsMax = 5_000;

export interface PerformRequest {
  pod: BoundPod;
  observed: ObservedPod;
  steps: readonly PodStep[];
}

export interface PerformResult {
  /** Something changed in the runtime: it is worth looking whether more is to be done. */
  progressed: boolean;
  retryAfterMs: number | undefined;
  /** Containers that could not be started. */
  failed: ReadonlySet<string>;
}

interface Round {
  pod: BoundPod;
  observed: ObservedPod;
  /** The pod's directories, while they are being made. */
  directories: Promise<unknown> | undefined;
  images: Map<string, Promise<ImageOutcome>>;
  sandbox: { id: string; config: PodSandboxConfig; ips: readonly string[] } | undefined;
  /** The pod's volumes for the containers to be started, once they are being provided. */
  volumes: Promise<ReadonlyMap<string, ProvidedVolume>> | undefined;
  /** The pod's cgroup is as it has to be. */
  hasCgroup: boolean;
  progressed: boolean;
  retryAfterMs: number | undefined;
  failed: Set<string>;
}

/**
 * Performs a pod's steps in order. A step that fails stops the round, unless other containers do
 * not depend on it.
 */
export class StepPerformer {
  readonly #deps: StepPerformerDeps;
  readonly #node: NodeContext;
  readonly #errorBackoffMs: number;
  /** The instance whose back-off had its event last, by pod and container: one event for each. */
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
      sandbox: this.#sandboxInUse(pod, observed),
      volumes: undefined,
      hasCgroup: false,
      progressed: false,
      retryAfterMs: undefined,
      failed: new Set(),
    };
    const starts = steps.filter((step) => step.kind === "start-container");
    if (starts.length > 0) this.#prepare(round, starts, signal);
    try {
      for (const step of steps) if (!(await this.#performStep(round, step, signal))) break;
    } finally {
      // Nothing is written any more once the round is over, even after an error.
      await Promise.allSettled([round.directories, round.volumes]);
    }
    return { progressed: round.progressed, retryAfterMs: round.retryAfterMs, failed: round.failed };
  }

  forget(uid: string): void {
    this.#toldBackoffs.delete(uid);
  }

  /**
   * Directories, and the images of everything that is to start: they are fetched while the sandbox
   * is being made.
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
        { pod, container: container as Container, sandboxConfig: config, credentials: () => this.#credentials(pod) },
        signal,
      );
      round.images.set(container.name, awaitedLater(ensuring));
    }
  }

  async #credentials(pod: BoundPod): Promise<RegistryCredential[]> {
    const { credentials, missing } = await this.#deps.pullSecrets.of(pod);
    if (missing.length > 0) {
      const message = `Unable to retrieve some image pull secrets (${missing.join(", ")}); attempting to pull the image may not succeed.`;
      this.#deps.events.warning(pod, "FailedToRetrieveImagePullSecret", message);
    }
    return credentials;
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
            "Restart of the whole pod was asked for, it will start again in a new sandbox with empty volumes.";
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
      case "create-sandbox":
        return this.#createSandbox(round, step, signal);
      case "kill-container":
        await this.#kill(round, step, signal);
        return true;
      case "start-container":
        return this.#start(round, step, signal);
      case "resize-container":
        await this.#resize(round, step, signal);
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

  /**
   * A refusal of the runtime changes nothing: the container runs on as it was, and is resized
   * later.
   */
  async #resize(
    round: Round,
    step: Extract<PodStep, { kind: "resize-container" }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { pod, observed } = round;
    const { container, spec, resources } = step;
    try {
      const refusal = await this.#refuseDecrease(round, step, signal);
      if (refusal !== undefined) throw new RuntimeError("failed", refusal);
      const settings = containerResources(pod, spec, this.#node.capacity.memoryBytes);
      await this.#deps.podCgroups.makeRoom(pod);
      await this.#deps.runtime.updateContainerResources(container.id, settings, signal);
      await this.#deps.resizes.actuated(observed, container.id, resources);
      await this.#deps.podCgroups.ensure(pod);
      round.progressed = true;
    } catch (error) {
      if (signal.aborted || !(error instanceof RuntimeError || error instanceof CgroupError)) throw error;
      this.#deps.resizes.failed(pod, error.message);
      round.retryAfterMs = Math.min(round.retryAfterMs ?? Infinity, this.#errorBackoffMs);
    }
  }

  /** The kernel would kill a container that uses more memory than its new limit. */
  async #refuseDecrease(
    { pod, observed }: Round,
    { container }: Extract<PodStep, { kind: "resize-container" }>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const record = this.#deps.resizes.record(pod.metadata.uid);
    const decreases = memoryDecreases(pod, { observed, resized: container, record });
    if (decreases.length === 0) return undefined;
    const { clock, runtime } = this.#deps;
    const filter = { sandboxId: container.sandboxId };
    try {
      const stats = await within(clock, { timeoutMs: usageMsMax, signal }, (limited) =>
        runtime.listContainerStats(filter, limited),
      );
      return refuseDecreases(decreases, stats);
    } catch (error) {
      if (!(error instanceof TimeIsUp)) throw error;
      return `unable to read memory usage: ${error.message}`;
    }
  }

  async #createSandbox(round: Round, step: SandboxLife, signal: AbortSignal): Promise<boolean> {
    const { pod } = round;
    if (!(await this.#prepareDevices(round, signal))) return false;
    const [dns] = await Promise.all([this.#deps.dns.of(pod), this.#ensureCgroup(round), round.directories]);
    try {
      const runtimeHandler = pod.spec.runtimeClassName ? await this.#deps.runtimeClasses.handlerOf(pod) : "";
      const config = { ...sandboxConfig(pod, step, this.#node), ...(dns ? { dns } : {}), runtimeHandler };
      const refusal = sandboxRefusal(pod, this.#node);
      if (refusal !== undefined) throw new RuntimeError("invalid", refusal);
      const id = await this.#deps.starts.run(() => {
        // Upstream does the same: volumes do not wait for the sandbox, but are made at the same
        // time.
        if (round.images.size > 0) void this.#provideVolumes(round);
        return this.#deps.runtime.runPodSandbox(config, signal);
      });
      const status = await this.#deps.runtime.podSandboxStatus(id, signal);
      const ips = podIpsOf(pod, status, this.#node.nodeIps);
      round.sandbox = { id, config, ips };
      round.progressed = true;
      return true;
    } catch (error) {
      if (signal.aborted || !(error instanceof RuntimeError)) throw error;
      this.#deps.events.warning(pod, "FailedCreatePodSandBox", `Failed to create pod sandbox: ${error.message}`);
      throw error;
    }
  }

  /** Resolves with whether the pod has the devices of its claims. */
  async #prepareDevices(round: Round, signal: AbortSignal): Promise<boolean> {
    const { pod } = round;
    try {
      await this.#deps.devices.prepare(pod, signal);
      return true;
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      const message = `Failed to prepare dynamic resources: ${error.message}`;
      this.#deps.events.warning(pod, "FailedPrepareDynamicResources", message);
      round.retryAfterMs = Math.min(round.retryAfterMs ?? Infinity, this.#errorBackoffMs);
      return false;
    }
  }

  #provideVolumes(round: Round): NonNullable<Round["volumes"]> {
    return (round.volumes ??= awaitedLater(this.#deps.volumes.provide(round.pod)));
  }

  /** Once in a round. */
  async #ensureCgroup(round: Round): Promise<void> {
    const { pod } = round;
    if (round.hasCgroup) return;
    try {
      await this.#deps.podCgroups.ensure(pod);
      round.hasCgroup = true;
    } catch (error) {
      if (error instanceof CgroupError) {
        const message = `unable to ensure pod container exists: ${error.message}`;
        this.#deps.events.warning(pod, "FailedToCreatePodContainer", message);
      }
      throw error;
    }
  }

  async #start(round: Round, step: StartStep, signal: AbortSignal): Promise<boolean> {
    const { pod, sandbox } = round;
    const pulled = await round.images.get(step.container.name);
    if (!sandbox || !pulled) throw new Error(`no sandbox to start ${step.container.name} in`);
    // Only a kubelet whose record was lost finds a sandbox without them.
    if (!this.#deps.devices.isPrepared(pod) && !(await this.#prepareDevices(round, signal))) return false;
    // A restart may bring it the resources that it was granted since.
    await Promise.all([this.#ensureCgroup(round), round.directories]);
    const volumes = this.#provideVolumes(round);
    const request = { pod, step, sandboxId: sandbox.id, sandboxConfig: sandbox.config, podIps: sandbox.ips, volumes };
    const outcome = await this.#deps.starter.start(request, pulled, signal);
    const { uid } = pod.metadata;
    if (outcome.kind === "started") {
      this.#deps.failures.clear(uid, step.container.name);
      round.progressed = true;
      return true;
    }
    this.#deps.failures.set(uid, step.container.name, outcome.failure);
    if (outcome.kind === "hook-failed") {
      await this.#deps.runtime.stopContainer(outcome.containerId, pod.spec.terminationGracePeriodSeconds ?? 30, signal);
      round.progressed = true;
      return step.role !== "init";
    }
    round.failed.add(step.container.name);
    round.retryAfterMs = Math.min(round.retryAfterMs ?? Infinity, outcome.retryAfterMs ?? this.#errorBackoffMs);
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
    round.retryAfterMs = Math.min(round.retryAfterMs ?? Infinity, step.remainingMs);
  }

  #sandboxInUse(pod: BoundPod, observed: ObservedPod): Round["sandbox"] {
    const verdict = sandboxVerdict(pod, observed);
    const sandbox = observed.sandboxes[0];
    if (verdict.kind !== "use" || !sandbox) return undefined;
    const { attempt } = sandbox.metadata;
    const config = sandboxConfig(pod, { attempt, podRestarts: podRestartsOf(sandbox.annotations) }, this.#node);
    return { id: sandbox.id, config, ips: podIpsOf(pod, sandbox, this.#node.nodeIps) };
  }
}

/** The starter of a container awaits it; when none gets that far, the failure is not reported. */
function awaitedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
