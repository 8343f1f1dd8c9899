import type { Logger } from "@kintsugi/api";
import { controllerOf, findCondition, parseTimestamp, type PodStatus, replacementNeededCondition } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import type { PodCgroups } from "../../containers/cgroups/pod-cgroups.ts";
import type { DeviceClaims } from "../../containers/devices/device-claims.ts";
import { withVolumeMounts } from "../../containers/config/recursive-read-only.ts";
import { ContainerConfigError } from "../../containers/environment/config-error.ts";
import type { WatchedConfig } from "../../containers/environment/watched-config.ts";
import type { TokenKeeper } from "../../containers/volumes/token-keeper.ts";
import { VolumeError } from "../../containers/volumes/volume-error.ts";
import type { Volumes } from "../../containers/volumes/volumes.ts";
import type { Files } from "../../machine/files/files.ts";
import { type BoundPod, containerStatusesOf, isTerminalPhase } from "../../model/bound-pod.ts";
import { escalationFault } from "../../model/escalation.ts";
import { type NodeContext, podLogDirectory } from "../../model/node-context.ts";
import { mayRun, type ObservedContainer, type ObservedPod } from "../../model/observed-pod.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import { removeLogs } from "../../runtime/logs/rotated-logs.ts";
import type { PodIdentity } from "../../runtime/observation/container-events.ts";
import type { KernelOomWatcher } from "../../runtime/observation/kernel-oom-watcher.ts";
import type { Pleg } from "../../runtime/observation/pleg.ts";
import { observeListed, observePod } from "../../runtime/observation/pod-observer.ts";
import type { RuntimeHealth } from "../../runtime/observation/runtime-health.ts";
import { withTerminationMessages } from "../../runtime/observation/termination-messages.ts";
import { withOomKills } from "../../runtime/observation/with-oom-kills.ts";
import type { Admission } from "../admission/admission.ts";
import type { PodResizes } from "../admission/pod-resizes.ts";
import { planPod } from "../plan/plan-pod.ts";
import { planPruning } from "../plan/plan-pruning.ts";
import type { RestartBackoffOptions } from "../plan/restart-backoff.ts";
import { holdsUpNobody, type PodStep } from "../plan/steps.ts";
import type { ProbeManager } from "../probes/probe-manager.ts";
import { withAllTerminated } from "../status/all-terminated.ts";
import { podStatus } from "../status/pod-status.ts";
import type { StartFailures } from "../status/start-failures.ts";
import type { StatusWriter } from "../status/status-writer.ts";
import type { KillsUnderWay } from "./kills-under-way.ts";
import type { PodStopper } from "./pod-stopper.ts";
import type { SelfFence } from "./self-fence.ts";
import type { PodSync, SyncOutcome, Termination } from "./pod-sync.ts";
import type { StepPerformer } from "./step-performer.ts";

/**
 * The network may be ready soon: upstream looks again after backOffOnTransientErrorPeriod, not
 * after the back-off of an error.
 */
const networkRetryMs = 1000;
/**
 * A pod that needs more rounds than this to come to rest waits for the next wake-up: no plan may
 * spin.
 */
const roundsMax = 20;

export interface PodSyncerDeps {
  runtime: ContainerRuntime;
  clock: Clock;
  log: Logger;
  events: PodEvents;
  files: Files;
  admission: Admission;
  statuses: StatusWriter;
  failures: StartFailures;
  probes: ProbeManager;
  performer: StepPerformer;
  stopper: PodStopper;
  kills: Pick<KillsUnderWay, "has">;
  resizes: PodResizes;
  volumes: Volumes;
  volumeSource: WatchedConfig;
  tokens: TokenKeeper;
  devices: Pick<DeviceClaims, "unprepare" | "isUsedBy">;
  pleg: Pick<Pleg, "takeListed" | "findEnded">;
  /**
   * Takes a pod as it was read, and adds the ends that the runtime has announced and does not list
   * yet.
   */
  noteObserved(read: ObservedPod): ObservedPod;
  /** Undefined where the kernel's log is not read. */
  kernelOom: Pick<KernelOomWatcher, "hasKilledIn"> | undefined;
  health: Pick<RuntimeHealth, "networkError">;
  podCgroups: Pick<PodCgroups, "remove">;
  fence: Pick<SelfFence, "find" | "conditions">;
}

/**
 * The work of a worker for its pod: read, report the state, perform the missing steps, read again.
 */
export class PodSyncer implements PodSync {
  readonly #deps: PodSyncerDeps;
  readonly #node: NodeContext;
  readonly #backoff: RestartBackoffOptions;
  /** The faults of a pod's annotations that have had their event, by uid. */
  readonly #warned = new Map<string, string>();
  /**
   * Pods that the last sync left at rest, as it read them, by uid: nothing but the runtime has
   * changed anything since.
   */
  readonly #atRest = new Map<string, { pod: BoundPod; observed: ObservedPod }>();

  constructor(deps: PodSyncerDeps, options: { node: NodeContext; restartBackoff: RestartBackoffOptions }) {
    this.#deps = deps;
    this.#node = options.node;
    this.#backoff = options.restartBackoff;
  }

  /** Probes go on between two syncs, until the signal aborts. */
  run(signal: AbortSignal): Promise<void> {
    return this.#deps.probes.run(signal);
  }

  async sync(asked: BoundPod, signal: AbortSignal): Promise<SyncOutcome> {
    this.#deps.failures.adopt(asked.metadata.uid, asked);
    this.#warnOfEscalation(asked);
    this.#sayEnds(asked);
    let observed = await this.#observe(asked, signal);
    let pod = await this.#deps.resizes.settle(asked, observed);
    const verdict = (await this.#deps.admission.judge(pod, observed, signal)) ?? this.#pastDeadline(pod);
    this.#deps.probes.update(pod, observed);
    let status = this.#say(pod, observed, { over: false, verdict });
    if (isTerminalPhase(status.phase)) return { ended: true };
    if (await this.#staysFenced(pod, observed, signal)) return { ended: false };
    if (this.#lacksNetwork(pod)) return { ended: false, retryAfterMs: networkRetryMs };
    await this.#refreshVolumes(pod, observed);

    let retryAfterMs = this.#untilDeadlineMs(pod, status);
    const failed = new Set<string>();
    for (let round = 0; round < roundsMax; round++) {
      const plan = planPod(this.#planInput(pod, observed, status), this.#backoff);
      // A container that has just failed to start is not tried again in the same round.
      const steps = plan.filter(
        (step) => !this.#isUnderWay(step) && !(step.kind === "start-container" && failed.has(step.container.name)),
      );
      if (steps.length === 0) break;
      const result = await this.#deps.performer.perform({ pod, observed, steps }, signal);
      observed = await this.#observe(pod, signal);
      this.#deps.probes.update(pod, observed);
      pod = await this.#deps.resizes.settle(asked, observed);
      status = this.#say(pod, observed, { over: false });
      if (isTerminalPhase(status.phase)) return { ended: true };
      retryAfterMs = earliest(retryAfterMs, result.retryAfterMs);
      for (const name of result.failed) failed.add(name);
      if (!result.progressed) break;
    }
    await this.#prune(observed, signal);
    this.#atRest.set(asked.metadata.uid, { pod, observed });
    return { ended: false, retryAfterMs };
  }

  async terminate(asked: BoundPod, how: Termination, signal: AbortSignal): Promise<void> {
    const { uid } = asked.metadata;
    this.#deps.failures.adopt(uid, asked);
    this.#atRest.delete(uid);
    const observed = await this.#observe(asked, signal);
    const pod = this.#deps.resizes.granted(asked, observed);
    this.#deps.probes.stopKilling(uid);
    this.#say(pod, observed, { over: false, verdict: how.verdict });
    const { graceSeconds, verdict } = how;
    await this.#deps.stopper.stopPod({ pod, observed, graceSeconds, isDeadline: verdict?.isDeadline }, signal);
    const after = await this.#observe(pod, signal);
    const stillRunning = after.containers.filter(mayRun);
    if (stillRunning.length > 0) {
      throw new Error(`${stillRunning.length} containers of ${pod.metadata.name} still run after they were stopped`);
    }
    this.#deps.probes.remove(uid);
    // The devices of a pod that is reported as ended may be another's at once.
    await this.#deps.devices.unprepare(uid, signal);
    this.#say(pod, after, { over: true, verdict: how.verdict });
    this.#deps.admission.release(uid);
    this.#deps.resizes.roomMade();
    this.#deps.volumeSource.forget(uid);
    await this.#deps.volumes.tearDown(uid);
  }

  async clear(pod: PodIdentity, signal: AbortSignal): Promise<void> {
    const { containers } = await observePod(this.#deps.runtime, pod, signal);
    for (const container of containers) if (!mayRun(container)) await this.#removeContainer(container, signal);
  }

  release(pod: BoundPod): void {
    this.#deps.statuses.release(pod);
  }

  /**
   * Upstream and the scheduler do the same: otherwise a pod that was bound since would be rejected
   * because of a pod that no client sees any more.
   */
  vacate(uid: string): void {
    this.#deps.admission.release(uid);
    this.#deps.resizes.roomMade();
  }

  async remove(pod: PodIdentity, signal: AbortSignal): Promise<void> {
    const { runtime, files, stopper } = this.#deps;
    await stopper.removeUnknown(await observePod(runtime, pod, signal), signal);
    this.#deps.noteObserved(await observePod(runtime, pod, signal));
    // A driver that is away holds up none of the other remains: the claims are swept later.
    await this.#deps.devices.unprepare(pod.uid, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      this.#deps.log.warn("devices not taken back", { pod: `${pod.namespace}/${pod.name}`, error });
    });
    await this.removeRemains(pod.uid);
    await files.remove(podLogDirectory(this.#node, pod));
  }

  /**
   * Removes the volumes, the directory and the cgroups of a pod that has nothing in the runtime.
   */
  async removeRemains(uid: string): Promise<void> {
    await this.#deps.volumes.remove(uid);
    await this.#deps.podCgroups.remove(uid);
  }

  forget(uid: string): void {
    this.#deps.resizes.forget(uid);
    this.#deps.statuses.forget(uid);
    this.#deps.failures.forget(uid);
    this.#deps.probes.remove(uid);
    this.#deps.admission.release(uid);
    this.#deps.performer.forget(uid);
    this.#deps.volumeSource.forget(uid);
    this.#deps.tokens.forget(uid);
    this.#warned.delete(uid);
    this.#atRest.delete(uid);
  }

  /**
   * Running containers see the API's present contents; a volume that cannot be brought up to date
   * stays unchanged.
   */
  async #refreshVolumes(pod: BoundPod, observed: ObservedPod): Promise<void> {
    this.#deps.volumeSource.follow(pod);
    if (!observed.containers.some(mayRun)) return;
    try {
      await this.#deps.volumes.refresh(pod);
    } catch (error) {
      // An unsupported volume is reported when a container is to start.
      if (error instanceof ContainerConfigError) return;
      if (!(error instanceof VolumeError)) throw error;
      this.#deps.events.warning(pod, "FailedMount", error.message);
    }
  }

  async #observe(pod: BoundPod, signal: AbortSignal): Promise<ObservedPod> {
    const { uid, name, namespace } = pod.metadata;
    const { runtime, pleg } = this.#deps;
    const identity = { uid, name, namespace };
    try {
      const listed = pleg.takeListed(uid);
      const read = await (listed
        ? observeListed(runtime, { pod: identity, listed }, signal)
        : observePod(runtime, identity, signal));
      return this.#withWhatElseIsKnown(pod, this.#deps.noteObserved(read));
    } catch (error) {
      if (!signal.aborted) {
        this.#deps.events.warning(pod, "FailedSync", `error determining status: ${(error as Error).message}`);
      }
      throw error;
    }
  }

  /**
   * Reports the containers whose end the runtime has announced, without reading it first: a read
   * takes the longer the more the runtime has to tidy up. Upstream's evented PLEG, whose events
   * carry the status, does the same; the next steps wait for the read.
   */
  #sayEnds(asked: BoundPod): void {
    const { uid } = asked.metadata;
    const last = this.#atRest.get(uid);
    // The pod is being worked on from here.
    this.#atRest.delete(uid);
    const ended = last && this.#deps.pleg.findEnded(last.observed);
    if (!ended) return;
    const pod = { ...asked, spec: last.pod.spec };
    this.#say(pod, this.#withWhatElseIsKnown(pod, ended), { over: false });
  }

  #withWhatElseIsKnown({ spec }: BoundPod, read: ObservedPod): ObservedPod {
    const observed = withOomKills(read, (id) => this.#deps.kernelOom?.hasKilledIn(id) ?? false);
    const { containers, initContainers = [], ephemeralContainers = [] } = spec;
    const containerCount = containers.length + initContainers.length + ephemeralContainers.length;
    return withTerminationMessages(observed, this.#deps.files, containerCount);
  }

  #say(pod: BoundPod, observed: ObservedPod, how: { over: boolean; verdict?: Termination["verdict"] }): PodStatus {
    const { uid } = pod.metadata;
    const previous = this.#deps.statuses.find(uid) ?? pod.status ?? {};
    const computed = podStatus({
      pod,
      observed,
      previous,
      failureOf: (containerName) => this.#deps.failures.find(uid, containerName),
      probes: this.#deps.probes,
      resizes: this.#deps.resizes.record(uid),
      otherConditions: [...this.#deps.resizes.conditions(pod, observed), ...this.#deps.fence.conditions(uid)],
      nodeIps: this.#node.nodeIps,
      nowMs: this.#deps.clock.nowMs(),
      over: how.over,
      backoffResetMs: this.#backoff.resetMs,
      ...(how.verdict ? { verdict: how.verdict } : {}),
    });
    const said = withVolumeMounts(computed, { pod, previous, isSupported: this.#node.mountsRecursively() });
    const status = how.over ? withAllTerminated(said) : said;
    this.#tellReplacement(pod, previous, status);
    this.#deps.statuses.set(pod, how.over ? status : this.#untilDevicesAreFree(uid, status, previous));
    return status;
  }

  /** A pod is reported as ended when its devices have been taken back, as upstream's. */
  #untilDevicesAreFree(uid: string, status: PodStatus, previous: PodStatus): PodStatus {
    if (!isTerminalPhase(status.phase) || isTerminalPhase(previous.phase)) return status;
    return this.#deps.devices.isUsedBy(uid) ? { ...status, phase: "Running" } : status;
  }

  /**
   * Emits the event once, when the condition comes up: it is in the status, so a kubelet that has
   * just started does not repeat it.
   */
  #tellReplacement(pod: BoundPod, previous: PodStatus, status: PodStatus): void {
    const now = findCondition(status.conditions, replacementNeededCondition);
    if (!now || findCondition(previous.conditions, replacementNeededCondition)) return;
    const owner = controllerOf(pod);
    const moves = owner && owner.kind !== "DaemonSet" && owner.kind !== "Node";
    const next = moves
      ? `${owner.kind} ${owner.name} is to make a new pod, on another node if there is one that fits`
      : "no controller could make one on another node, so its containers go on being restarted";
    this.#deps.events.warning(pod, "ReplacementNeeded", `${now.message}: ${next}.`);
  }

  #warnOfEscalation(pod: BoundPod): void {
    const { uid } = pod.metadata;
    const fault = escalationFault(pod);
    if (fault === this.#warned.get(uid)) return;
    if (fault === undefined) return void this.#warned.delete(uid);
    this.#warned.set(uid, fault);
    this.#deps.events.warning(pod, "InvalidAnnotation", `${fault}; nothing is escalated until then.`);
  }

  #planInput(pod: BoundPod, observed: ObservedPod, status: PodStatus) {
    const recorded = containerStatusesOf({ status });
    const resizes = this.#deps.resizes.record(pod.metadata.uid);
    return { pod, observed, probes: this.#deps.probes, recorded, resizes, nowMs: this.#deps.clock.nowMs() };
  }

  #isUnderWay(step: PodStep): boolean {
    return step.kind === "kill-container" && holdsUpNobody(step) && this.#deps.kills.has(step.container.id);
  }

  /** Stops a pod that another node may run, and reports how it ended. */
  async #staysFenced(pod: BoundPod, observed: ObservedPod, signal: AbortSignal): Promise<boolean> {
    const fence = this.#deps.fence.find(pod.metadata.uid);
    if (!fence) return false;
    if (observed.containers.some(mayRun) || observed.sandboxes.some(({ ready }) => ready)) {
      await this.#deps.stopper.stopPod({ pod, observed, ...fence, isDeadline: true }, signal);
      this.#say(pod, await this.#observe(pod, signal), { over: false });
    }
    return true;
  }

  #lacksNetwork(pod: BoundPod): boolean {
    const because = pod.spec.hostNetwork ? undefined : this.#deps.health.networkError();
    if (because === undefined) return false;
    this.#deps.events.warning(pod, "NetworkNotReady", `network is not ready: ${because}`);
    return true;
  }

  #pastDeadline(pod: BoundPod): Termination["verdict"] {
    const said = this.#deps.statuses.find(pod.metadata.uid) ?? pod.status ?? {};
    const leftMs = this.#untilDeadlineMs(pod, said);
    // Its end may just have been reported: a pod that ended by itself was in time.
    if (leftMs === undefined || leftMs > 0 || isTerminalPhase(said.phase)) return undefined;
    const verdict = {
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    };
    this.#deps.events.normal(pod, verdict.reason, verdict.message);
    return verdict;
  }

  #untilDeadlineMs(pod: BoundPod, status: PodStatus): number | undefined {
    const { activeDeadlineSeconds } = pod.spec;
    if (activeDeadlineSeconds === undefined || status.startTime === undefined) return undefined;
    return Math.max(0, parseTimestamp(status.startTime) + activeDeadlineSeconds * 1000 - this.#deps.clock.nowMs());
  }

  async #prune(observed: ObservedPod, signal: AbortSignal): Promise<void> {
    const { containers, sandboxIds } = planPruning(observed);
    for (const container of containers) await this.#removeContainer(container, signal);
    for (const id of sandboxIds) await this.#deps.runtime.removePodSandbox(id, signal);
  }

  /** Removes a container with its logs. */
  async #removeContainer({ id, logPath }: ObservedContainer, signal: AbortSignal): Promise<void> {
    if (logPath !== "") await removeLogs(this.#deps.files, logPath);
    await this.#deps.runtime.removeContainer(id, signal);
  }
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
