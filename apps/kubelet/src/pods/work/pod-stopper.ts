import { defaultGracePeriodSeconds, type Container, type Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import { type BoundPod, containersOf, initContainersOf, isRestartableInit } from "../../model/bound-pod.ts";
import { mayRun, nameOf, type ObservedContainer, type ObservedPod } from "../../model/observed-pod.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import { podIpsOf } from "../../model/pod-ips.ts";
import type { KillReason } from "../plan/steps.ts";
import type { Hooks } from "../probes/hooks.ts";
import type { KillCauses } from "../status/kill-causes.ts";

/**
 * The shortest grace period of a container, so that a short grace period is not an immediate
 * SIGKILL; upstream's value.
 */
const graceSecondsMin = 2;
/** The grace period of a container of an unknown pod; upstream's value. */
const unknownPodGraceSeconds = 1;

export interface PodStopperDeps {
  runtime: ContainerRuntime;
  events: PodEvents;
  clock: Clock;
  log: Logger;
  kills: KillCauses;
  nodeIps: readonly string[];
  hooks: Pick<Hooks, "preStop">;
}

export interface StopRequest {
  pod: BoundPod;
  observed: ObservedPod;
  /** Overrides the pod's own grace period, as a deletion by the API or an eviction does. */
  graceSeconds?: number | undefined;
  /**
   * No container may run after the grace period; hooks and the termination order leave the least
   * time within it.
   */
  isDeadline?: boolean | undefined;
  /** The reason, for the events and the termination history. */
  message?: string;
}

/**
 * Stops containers and sandboxes: preStop, SIGTERM, the grace period, SIGKILL (kuberuntime
 * killContainer, killPodWithSyncResult).
 */
export class PodStopper {
  readonly #deps: PodStopperDeps;

  constructor(deps: PodStopperDeps) {
    this.#deps = deps;
  }

  /**
   * All containers at the same time, except sidecars: each ends after the containers that it serves
   * and the later sidecars, or when the shared grace period is used up. The preStop hooks of
   * sidecars run immediately, like all other hooks (kuberuntime_termination_order.go).
   */
  async stopPod(request: StopRequest, signal: AbortSignal): Promise<void> {
    const { pod, observed } = request;
    const running = observed.containers.filter(mayRun);
    const sidecars = initContainersOf(pod).filter(isRestartableInit);
    const stop = (container: ObservedContainer, turn?: Promise<unknown>) =>
      this.stopContainer({ ...request, container, turn }, signal);
    const isSidecar = (container: ObservedContainer) => sidecars.some(({ name }) => name === nameOf(container));
    let before: Promise<unknown> = Promise.all(
      running.filter((container) => !isSidecar(container)).map((container) => stop(container)),
    );
    const stopping = [before];
    for (const sidecar of sidecars.toReversed()) {
      const turn = before;
      const own = running.filter((container) => nameOf(container) === sidecar.name);
      before = Promise.all([turn, ...own.map((container) => stop(container, turn))]);
      stopping.push(before);
    }
    await Promise.all(stopping);
    await Promise.all(observed.sandboxes.map(({ id }) => this.#deps.runtime.stopPodSandbox(id, signal)));
  }

  async stopContainer(
    request: StopRequest & {
      container: ObservedContainer;
      reason?: KillReason;
      /** The containers that have to end first, if there is enough time. */
      turn?: Promise<unknown> | undefined;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { pod, container } = request;
    const name = nameOf(container);
    const spec = containersOf(pod).find((each) => each.name === name);
    if (request.message !== undefined) this.#deps.kills.add(container.id, request.message);
    this.#deps.events.normal(pod, "Killing", request.message ?? `Stopping container ${name}`, name);
    let graceSeconds = request.graceSeconds ?? graceOf(pod, spec, request.reason);
    const secondsKept = request.isDeadline === true ? graceSecondsMin : 0;
    if (spec?.lifecycle?.preStop && graceSeconds > secondsKept && container.state === "running") {
      const startedMs = this.#deps.clock.monotonicMs();
      const podIps = podIpsOf(pod, request.observed.sandboxes[0], this.#deps.nodeIps);
      const hooked = { pod, container: spec, containerId: container.id, podIps };
      const failure = await this.#deps.hooks.preStop(hooked, graceSeconds - secondsKept, signal);
      if (failure !== undefined) this.#deps.events.warning(pod, "FailedPreStopHook", "PreStopHook failed", name);
      graceSeconds -= Math.floor((this.#deps.clock.monotonicMs() - startedMs) / 1000);
    }
    if (request.turn && graceSeconds > secondsKept)
      graceSeconds -= await this.#waitSeconds(request.turn, graceSeconds - secondsKept);
    // A hook, or the wait for the turn, may have used up the grace period. A rule that ends a
    // container immediately skips the grace period.
    const isExact = request.isDeadline === true || request.graceSeconds === 0;
    const timeoutSeconds = Math.max(isExact ? 0 : graceSecondsMin, graceSeconds);
    await this.#deps.runtime.stopContainer(container.id, timeoutSeconds, signal);
    this.#deps.log.info("container stopped", {
      pod: `${observedName(request.observed)}`,
      container: name,
      id: container.id,
    });
  }

  /**
   * Waits for the container's turn, for at most this time. Resolves with the whole seconds that it
   * took.
   */
  async #waitSeconds(turn: Promise<unknown>, secondsMax: number): Promise<number> {
    const { clock } = this.#deps;
    const startedMs = clock.monotonicMs();
    await new Promise<void>((resolve) => {
      const timer = clock.after(secondsMax * 1000, resolve);
      // A container that could not be stopped does not prevent the other containers from stopping.
      void turn
        .catch(() => {})
        .then(() => {
          timer.cancel();
          resolve();
        });
    });
    return Math.floor((clock.monotonicMs() - startedMs) / 1000);
  }

  /** Ends a pod that the API no longer has: stops the pod soon, and removes all its parts. */
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

/** The pod's grace period, unless the failed probe has its own (setTerminationGracePeriod). */
function graceOf(pod: BoundPod, spec: Container | undefined, reason: KillReason | undefined): number {
  const { deletionGracePeriodSeconds } = pod.metadata;
  if (deletionGracePeriodSeconds !== undefined) return deletionGracePeriodSeconds;
  const probe =
    reason === "liveness-probe" ? spec?.livenessProbe : reason === "startup-probe" ? spec?.startupProbe : undefined;
  return probe?.terminationGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? defaultGracePeriodSeconds;
}

function observedName({ namespace, name }: ObservedPod): string {
  return `${namespace}/${name}`;
}
