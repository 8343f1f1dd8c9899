import type { Container, ContainerStatus, Metrics, Probe } from "@kintsugi/api";
import { type Clock, type Random, untilAborted } from "@kintsugi/clock";
import type { WakeUps } from "../../base/wake-ups.ts";
import { type BoundPod, initContainersOf, isRestartableInit } from "../../model/bound-pod.ts";
import { containerIdText } from "../../model/labels.ts";
import { findContainer, isRunning, type ObservedPod } from "../../model/observed-pod.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import { podIpsOf } from "../../model/pod-ips.ts";
import type { ProbeResult, ProbeVerdicts } from "../plan/steps.ts";
import { ProbeMetrics, type ProbeSeries, probeTitles } from "./probe-metrics.ts";
import { ProbeWorker } from "./probe-worker.ts";
import type { ProbeKind } from "./prober.ts";
import type { ProbeOutcome, Prober } from "./prober.ts";

export interface ProbeManagerDeps {
  clock: Clock;
  random: Random;
  prober: Prober;
  events: PodEvents;
  metrics: Metrics;
  nodeIps: readonly string[];
  /** Called when a result changed, because the pod's status or the pod itself has to be updated. */
  wakeUps: Pick<WakeUps, "wake">;
}

const kinds = ["liveness", "readiness", "startup"] as const satisfies readonly ProbeKind[];

interface PodProbes {
  pod: BoundPod;
  /** The workers by kind and container name. */
  workers: Map<string, ProbeWorker>;
  /** The results by container id and kind. */
  results: Map<string, ProbeResult>;
}

/** One worker per probe of each container, and the results by container id. */
export class ProbeManager implements ProbeVerdicts {
  readonly #deps: ProbeManagerDeps;
  readonly #startedMs: number;
  readonly #pods = new Map<string, PodProbes>();
  readonly #byContainer = new Map<string, PodProbes>();
  readonly #metrics;
  #hasEnded = false;

  constructor(deps: ProbeManagerDeps) {
    this.#deps = deps;
    this.#startedMs = deps.clock.monotonicMs();
    this.#metrics = new ProbeMetrics(deps.metrics);
  }

  /**
   * Probes until the signal aborts. This includes the containers that were added before the run
   * began.
   */
  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal);
    this.#hasEnded = true;
    for (const { workers } of this.#pods.values()) for (const worker of workers.values()) worker.stop();
  }

  liveness(containerId: string): ProbeResult | undefined {
    return this.#result("liveness", containerId);
  }

  readiness(containerId: string): ProbeResult | undefined {
    return this.#result("readiness", containerId);
  }

  startup(containerId: string): ProbeResult | undefined {
    return this.#result("startup", containerId);
  }

  /** Starts missing workers, and passes every worker the instance that it has to probe. */
  update(pod: BoundPod, observed: ObservedPod): void {
    const { uid } = pod.metadata;
    const probed = [...pod.spec.containers, ...initContainersOf(pod).filter(isRestartableInit)].filter(hasProbe);
    // A sync that is in progress when the kubelet ends may still update its pod.
    if (probed.length === 0 || this.#hasEnded) return;
    const probes = this.#pods.get(uid) ?? { pod, workers: new Map(), results: new Map() };
    this.#pods.set(uid, probes);
    probes.pod = pod;
    for (const container of probed) this.#updateContainer(probes, container, observed);
  }

  /**
   * Stops the kills by liveness probes in a pod that is being stopped. Its readiness probes
   * continue.
   */
  stopKilling(uid: string): void {
    for (const [key, worker] of this.#pods.get(uid)?.workers ?? []) {
      if (!key.startsWith("readiness/")) worker.stop();
    }
  }

  remove(uid: string): void {
    const probes = this.#pods.get(uid);
    if (!probes) return;
    for (const [key, worker] of probes.workers) {
      worker.stop();
      this.#metrics.forget(seriesOf(probes.pod, key));
    }
    for (const [id, owner] of this.#byContainer) if (owner === probes) this.#byContainer.delete(id);
    this.#pods.delete(uid);
  }

  #updateContainer(probes: PodProbes, container: Container, observed: ObservedPod): void {
    const newest = findContainer(observed, container.name);
    if (!newest) return;
    const { namespace, name } = probes.pod.metadata;
    const podIp = podIpsOf(probes.pod, observed.sandboxes[0], this.#deps.nodeIps)[0] ?? "";
    const target = { containerId: newest.id, container, podIp, namespace, podName: name };
    this.#byContainer.set(newest.id, probes);
    for (const kind of kinds) {
      const probe = probeOf(container, kind);
      if (!probe) continue;
      const key = `${kind}/${container.name}`;
      const worker = probes.workers.get(key) ?? this.#createWorker(probes, container, kind);
      probes.workers.set(key, worker);
      const adopted = adoptedResult(kind, probes.pod, newest.id);
      const { id, startedAtMs } = newest;
      const isNew = worker.containerId !== id;
      if (isNew && worker.containerId !== undefined) this.#byContainer.delete(worker.containerId);
      worker.observe({ id, running: isRunning(newest), startedAtMs, target }, isNew ? adopted : undefined);
    }
  }

  #createWorker(probes: PodProbes, container: Container, kind: ProbeKind): ProbeWorker {
    const { clock, random, prober, wakeUps } = this.#deps;
    const probe = probeOf(container, kind) as Probe;
    const periodMs = (probe.periodSeconds ?? 10) * 1000;
    const justStarted = clock.monotonicMs() - this.#startedMs < periodMs;
    return new ProbeWorker(
      {
        clock,
        prober,
        hasStarted: (id) => !container.startupProbe || this.startup(id) === "success",
        onOutcome: (which, outcome, tookMs) => {
          this.#metrics.record(seriesOf(probes.pod, `${which}/${container.name}`), outcome, tookMs);
          this.#tell(probes.pod, container, { kind: which, outcome });
        },
        onResult: (which, _id, result) => {
          if (which === "startup" && result === "success") this.#hurryOthers(probes, container.name);
          wakeUps.wake(probes.pod.metadata.uid);
        },
      },
      { kind, container, probe, firstDelayMs: justStarted && adoptable(probes.pod) ? random.float() * periodMs : 0 },
    );
  }

  /** Hurries the liveness and readiness probes, which have waited for the startup probe. */
  #hurryOthers(probes: PodProbes, containerName: string): void {
    probes.workers.get(`readiness/${containerName}`)?.hurry();
    probes.workers.get(`liveness/${containerName}`)?.hurry();
  }

  #tell(pod: BoundPod, container: Container, { kind, outcome }: { kind: ProbeKind; outcome: ProbeOutcome }): void {
    const { events } = this.#deps;
    const title = probeTitles[kind];
    switch (outcome.kind) {
      case "success":
        return;
      case "warning":
        return events.warning(pod, "ProbeWarning", `${title} probe warning: ${outcome.output}`, container.name);
      case "failure":
        return events.warning(pod, "Unhealthy", `${title} probe failed: ${outcome.output}`, container.name);
      case "errored": {
        const message = `${title} probe errored and resulted in unknown state: ${outcome.because}`;
        return events.warning(pod, "Unhealthy", message, container.name);
      }
    }
  }

  #result(kind: ProbeKind, containerId: string): ProbeResult | undefined {
    const probes = this.#byContainer.get(containerId);
    for (const [key, worker] of probes?.workers ?? []) {
      if (worker.containerId === containerId && key.startsWith(`${kind}/`)) return worker.result;
    }
    return undefined;
  }
}

/** `key` is the key of a worker: kind and container name. */
function seriesOf({ metadata }: BoundPod, key: string): ProbeSeries {
  const [kind = "", container = ""] = key.split("/");
  return { kind: kind as ProbeKind, container, metadata };
}

function hasProbe(container: Container): boolean {
  return kinds.some((kind) => probeOf(container, kind) !== undefined);
}

function probeOf(container: Container, kind: ProbeKind): Probe | undefined {
  switch (kind) {
    case "liveness":
      return container.livenessProbe;
    case "readiness":
      return container.readinessProbe;
    case "startup":
      return container.startupProbe;
  }
}

/**
 * A restart of the kubelet must not change results: an instance that was started, or ready, remains
 * so until a probe finds the opposite.
 */
function adoptedResult(kind: ProbeKind, pod: BoundPod, containerId: string): ProbeResult | undefined {
  const said = statusesOf(pod).find((status) => status.containerID === containerIdText(containerId));
  if (!said?.state?.running) return undefined;
  if (kind === "startup") return said.started === true ? "success" : undefined;
  return kind === "readiness" && said.ready ? "success" : undefined;
}

function adoptable(pod: BoundPod): boolean {
  return statusesOf(pod).some(({ state }) => state?.running !== undefined);
}

function statusesOf(pod: BoundPod): ContainerStatus[] {
  return [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
}
