import type { Container, Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import type { PodEvents } from "../events/pod-events.ts";
import { type BoundPod, containersOf, initContainersOf } from "../pods/bound-pod.ts";
import { mayRun, nameOf, type ObservedContainer, type ObservedPod } from "../runtime/observed-pod.ts";
import type { KillCauses } from "../status/kill-causes.ts";
import { podIpsOf } from "../runtime/pod-ips.ts";
import type { KillReason } from "./steps.ts";

/** A container gets at least this long, so that a short grace period is not a SIGKILL at once; upstream's value. */
const graceSecondsMin = 2;
/** What a container of a pod that nobody knows any more gets, as upstream's. */
const unknownPodGraceSeconds = 1;

export interface PodStopperDeps {
  runtime: ContainerRuntime;
  events: PodEvents;
  clock: Clock;
  log: Logger;
  kills: KillCauses;
  nodeIps: readonly string[];
  /** Runs the container's preStop hook for at most so long. Resolves with why it failed. */
  runPreStop(hook: PreStopRequest, signal: AbortSignal): Promise<string | undefined>;
}

interface PreStopRequest {
  pod: BoundPod;
  container: Container;
  running: ObservedContainer;
  graceSeconds: number;
  podIps: readonly string[];
}

export interface StopRequest {
  pod: BoundPod;
  observed: ObservedPod;
  /** Overrides what the pod says, as the API's deletion or an eviction does. */
  graceSeconds?: number | undefined;
}

/** Stops containers and sandboxes: preStop, SIGTERM, the grace period, SIGKILL (kuberuntime killContainer, killPodWithSyncResult). */
export class PodStopper {
  readonly #deps: PodStopperDeps;

  constructor(deps: PodStopperDeps) {
    this.#deps = deps;
  }

  /** Everything at once, except sidecars: they stop after the containers they serve, the last first. */
  async stopPod(request: StopRequest, signal: AbortSignal): Promise<void> {
    const { pod, observed } = request;
    const running = observed.containers.filter(mayRun);
    const sidecars = initContainersOf(pod).filter(({ restartPolicy }) => restartPolicy === "Always");
    const isSidecar = (container: ObservedContainer) => sidecars.some(({ name }) => name === nameOf(container));
    const startedMs = this.#deps.clock.monotonicMs();
    const stop = (container: ObservedContainer) => {
      const spentSeconds = Math.floor((this.#deps.clock.monotonicMs() - startedMs) / 1000);
      const graceSeconds =
        request.graceSeconds === undefined ? undefined : Math.max(0, request.graceSeconds - spentSeconds);
      return this.stopContainer({ pod, observed, container, graceSeconds }, signal);
    };
    await Promise.all(running.filter((container) => !isSidecar(container)).map(stop));
    for (const sidecar of sidecars.toReversed()) {
      await Promise.all(running.filter((container) => nameOf(container) === sidecar.name).map(stop));
    }
    await Promise.all(observed.sandboxes.map(({ id }) => this.#deps.runtime.stopPodSandbox(id, signal)));
  }

  async stopContainer(
    request: StopRequest & { container: ObservedContainer; message?: string; reason?: KillReason },
    signal: AbortSignal,
  ): Promise<void> {
    const { pod, container } = request;
    const name = nameOf(container);
    const spec = containersOf(pod).find((each) => each.name === name);
    if (request.message !== undefined) this.#deps.kills.add(container.id, request.message);
    this.#deps.events.normal(pod, "Killing", request.message ?? `Stopping container ${name}`, name);
    let graceSeconds = request.graceSeconds ?? graceOf(pod, spec, request.reason);
    if (spec?.lifecycle?.preStop && graceSeconds > 0 && container.state === "running") {
      const startedMs = this.#deps.clock.monotonicMs();
      const podIps = podIpsOf(pod, request.observed.sandboxes[0], this.#deps.nodeIps);
      const failure = await this.#deps.runPreStop(
        { pod, container: spec, running: container, graceSeconds, podIps },
        signal,
      );
      if (failure !== undefined) this.#deps.events.warning(pod, "FailedPreStopHook", "PreStopHook failed", name);
      graceSeconds -= Math.floor((this.#deps.clock.monotonicMs() - startedMs) / 1000);
    }
    // A grace period that was asked for is kept to; the least one is for what the pod's own says.
    const timeoutSeconds =
      request.graceSeconds === undefined ? Math.max(graceSecondsMin, graceSeconds) : Math.max(0, graceSeconds);
    await this.#deps.runtime.stopContainer(container.id, timeoutSeconds, signal);
    this.#deps.log.info("container stopped", {
      pod: `${observedName(request.observed)}`,
      container: name,
      id: container.id,
    });
  }

  /** Of a pod that nobody knows any more: stopped soon, and removed with all it has. */
  async removeUnknown(observed: ObservedPod, signal: AbortSignal): Promise<void> {
    await Promise.all(
      observed.containers
        .filter(mayRun)
        .map(({ id }) => this.#deps.runtime.stopContainer(id, unknownPodGraceSeconds, signal)),
    );
    await Promise.all(
      observed.sandboxes.filter(({ ready }) => ready).map(({ id }) => this.#deps.runtime.stopPodSandbox(id, signal)),
    );
    await Promise.all(observed.containers.map(({ id }) => this.#deps.runtime.removeContainer(id, signal)));
    await Promise.all(observed.sandboxes.map(({ id }) => this.#deps.runtime.removePodSandbox(id, signal)));
  }
}

/** The pod's grace period, unless the probe that failed brings its own (setTerminationGracePeriod). */
function graceOf(pod: BoundPod, spec: Container | undefined, reason: KillReason | undefined): number {
  const { deletionGracePeriodSeconds } = pod.metadata;
  if (deletionGracePeriodSeconds !== undefined) return deletionGracePeriodSeconds;
  const probe =
    reason === "liveness-probe" ? spec?.livenessProbe : reason === "startup-probe" ? spec?.startupProbe : undefined;
  return probe?.terminationGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
}

function observedName({ namespace, name }: ObservedPod): string {
  return `${namespace}/${name}`;
}
