import { isDeepStrictEqual } from "node:util";
import { isApiError, type Logger, type Node, type NodeCondition, nodes, type NodeStatus } from "@kintsugi/api";
import type { Client, Informer } from "@kintsugi/client";
import { AutoResetEvent, backoffDelayMs, type Clock } from "@kintsugi/clock";
import type { ContainerRuntime, RuntimeHandler } from "@kintsugi/cri";
import type { Machine, MachineFacts } from "../../machine/kernel/machine.ts";
import { type EventSink, nodeReference } from "../../model/pod-events.ts";
import type { Pleg } from "../../runtime/observation/pleg.ts";
import type { RuntimeHealth } from "../../runtime/observation/runtime-health.ts";
import type { NodePressure } from "../eviction/node-pressure.ts";
import { nodeConditions } from "./node-conditions.ts";
import {
  newNode,
  nodeAddresses,
  nodeAllocatable,
  nodeCapacity,
  type NodeIdentity,
  nodeLabels,
  nodeRuntimeHandlers,
} from "./node-object.ts";
import type { PodNetwork } from "./pod-network.ts";
import { StoredStatus } from "./stored-status.ts";

export interface NodeReporterOptions {
  identity: NodeIdentity;
  kubeletVersion: string;
  /** Interval at which the status is inspected, and written when it changed. */
  updateIntervalMs: number;
  /** Interval at which an unchanged status is written. */
  reportIntervalMs: number;
  /** The shortest time after its last renewal at which the cluster considers the node lost. */
  leaseDurationMs: number;
}

export interface NodeReporterDeps {
  client: Client;
  clock: Clock;
  runtime: ContainerRuntime;
  machine: Machine;
  log: Logger;
  events: EventSink;
  health: Pick<RuntimeHealth, "errors" | "handlers" | "obeysGroupsPolicy">;
  pleg: Pick<Pleg, "unhealthyBecause">;
  pressure: Pick<NodePressure, "conditions">;
  /**
   * The range of this node's pods, if it is known here, from a flag or because pods have addresses
   * in it; "" if it is unknown.
   */
  network: Pick<PodNetwork, "podCidr">;
  nodes: Pick<Informer<Node>, "find">;
  /** Returns the volumes that controllers may not detach; absent where the node has no drivers. */
  volumesInUse?: (() => string[]) | undefined;
}

/**
 * Upstream's back-off: while the API does not answer, registration is retried after 100 ms, doubled
 * up to 7 s.
 */
const registerBackoff = { initialMs: 100, maxMs: 7000, factor: 2 };
/** Number of tries of a status write before the next interval. */
const writeAttemptsMax = 5;
/** Share of its Lease's duration within which a node is not lost; the rest is for late renewals. */
const lostShare = 0.75;
/** Limit of the images in a status (`--node-status-max-images`). */
const imagesMax = 50;

/** The facts that are read again for each status; all other facts are the machine's. */
interface Readings {
  images: NonNullable<NodeStatus["images"]>;
  runtimeVersion: string;
  errors: readonly string[];
  pressure: readonly string[];
  handlers: readonly RuntimeHandler[];
  obeysGroupsPolicy: boolean;
  volumesInUse: readonly string[];
}

/** Registers the node with the cluster, and keeps its status up to date. */
export class NodeReporter {
  readonly #deps: NodeReporterDeps;
  readonly #options: NodeReporterOptions;
  readonly #wakeUp: AutoResetEvent;
  #node: Node | undefined;
  #facts: MachineFacts | undefined;
  #writtenMs = -Infinity;
  /** The time at which the last successful renewal of the Lease was sent. */
  #renewedMs = -Infinity;
  /**
   * The server was down long enough that another client may have changed the Node since it was
   * read.
   */
  #wasAway = false;
  /** The readings, as text, for which this copy of the Node was found to be up to date. */
  #unchanged: { stored: Node; readings: string } | undefined;
  readonly #storedStatus = new StoredStatus();

  constructor(deps: NodeReporterDeps, options: NodeReporterOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#wakeUp = new AutoResetEvent(deps.clock);
  }

  /**
   * Returns the newest available copy of the Node. The last report may be as old as the interval
   * between two reports.
   */
  get node(): Node | undefined {
    return this.#newestAtHand() ?? this.#node;
  }

  /** Reads the Node again. @throws when the API cannot be reached, or the Node does not exist. */
  async read(signal: AbortSignal): Promise<Node> {
    this.#node = await this.#deps.client.get(
      nodes,
      { namespace: "", name: this.#options.identity.nodeName },
      { signal },
    );
    return this.#node;
  }

  /** Lists the reasons why the node is not ready; empty when it is ready. */
  errors(): string[] {
    const { health, pleg } = this.#deps;
    return [...health.errors(), pleg.unhealthyBecause()].filter((each) => each !== undefined);
  }

  /** Records that a renewal that was sent at this monotonic time has succeeded. */
  noteRenewal(sentAtMs: number): void {
    this.#renewedMs = sentAtMs;
  }

  /** Inspects the status now instead of at the next interval. */
  hurry(): void {
    this.#wakeUp.set();
  }

  /**
   * Creates the Node, or updates the labels of an existing Node. Retries until it succeeds or the
   * signal aborts.
   */
  async register(signal: AbortSignal): Promise<void> {
    this.#tell("Normal", "Starting", "Starting kubelet.");
    await this.#registerUntilDone(signal);
  }

  async #registerUntilDone(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    this.#facts = await this.#deps.machine.facts();
    for (let failures = 0; !signal.aborted;) {
      try {
        this.#node = await this.#registerOnce(this.#facts, signal);
        log.info("node registered", { node: this.#options.identity.nodeName });
        return;
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        log.warn("node not registered", { failures, error });
        await clock.sleep(backoffDelayMs(failures, registerBackoff), signal).catch(() => {});
      }
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    // The cluster may have declared the node lost in the meantime. The node stays lost until its
    // kubelet reports again, and this copy may be too old to show that. A server that is so slow
    // that single calls time out is busy enough without a report for each of them.
    const stopListening = this.#deps.client.onReturn(() => {
      if (this.#deps.clock.monotonicMs() - this.#renewedMs < this.#options.leaseDurationMs * lostShare) return;
      this.#wasAway = true;
      this.hurry();
    });
    while (!signal.aborted) {
      await this.#report(signal);
      await this.#wakeUp.wait(this.#options.updateIntervalMs, signal);
    }
    stopListening();
  }

  async #registerOnce(facts: MachineFacts, signal: AbortSignal): Promise<Node> {
    const { client } = this.#deps;
    const { identity } = this.#options;
    const key = { namespace: "", name: identity.nodeName };
    const podCidr = this.#deps.network.podCidr;
    const status = this.#status(facts, undefined, await this.#readings(undefined, signal));
    const existing = await client.find(nodes, key, { signal });
    if (!existing) {
      const created = await client.create(nodes, newNode({ ...identity, podCidr }, facts, status), { signal });
      this.#tellTransitions([], status.conditions ?? []);
      // A server with a status subresource drops the status at creation, so it is written
      // separately.
      if (created.status?.conditions?.length) return created;
      return client.update(nodes, { ...created, status }, { subresource: "status", signal });
    }
    const labels = { ...existing.metadata.labels, ...nodeLabels(identity, facts) };
    const spec = { ...existing.spec };
    if (spec.podCIDR === undefined && podCidr !== "") {
      spec.podCIDR = podCidr;
      spec.podCIDRs = [podCidr];
    }
    if (isDeepStrictEqual(labels, existing.metadata.labels) && isDeepStrictEqual(spec, { ...existing.spec }))
      return existing;
    return client.update(nodes, { ...existing, metadata: { ...existing.metadata, labels }, spec }, { signal });
  }

  async #report(signal: AbortSignal): Promise<void> {
    for (let attempt = 1; attempt <= writeAttemptsMax && !signal.aborted; attempt++) {
      try {
        return await this.#reportOnce(attempt, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isApiError(error, "NotFound")) return this.#registerAgain(signal);
        if (!isApiError(error, "Conflict")) this.#deps.log.warn("node status not written", { attempt, error });
      }
    }
  }

  /**
   * The Node was deleted while its kubelet runs. It is created again, which upstream's kubelet does
   * at its next start.
   */
  async #registerAgain(signal: AbortSignal): Promise<void> {
    this.#deps.log.warn("node no longer exists in the API", { node: this.#options.identity.nodeName });
    this.#writtenMs = -Infinity;
    await this.#registerUntilDone(signal);
  }

  async #reportOnce(attempt: number, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#deps;
    const { identity, reportIntervalMs } = this.#options;
    // A call that takes longer than the time to the next report is aborted, as in upstream's
    // heartbeats.
    const call = { signal, timeoutMs: this.#options.updateIntervalMs, urgent: true };
    const facts = (this.#facts ??= await this.#deps.machine.facts());
    const atHand = attempt === 1 && !this.#wasAway ? this.#newestAtHand() : undefined;
    const stored = atHand ?? (await client.get(nodes, { namespace: "", name: identity.nodeName }, call));
    if (atHand === undefined) this.#wasAway = false;
    const read = await this.#readings(stored.status, signal);
    this.#node = stored;
    const isDue = clock.monotonicMs() - this.#writtenMs >= reportIntervalMs;
    const readings = JSON.stringify(read);
    if (!isDue && this.#unchanged?.stored === stored && this.#unchanged.readings === readings) return;
    const status = this.#status(facts, stored.status, read);
    if (!isDue && this.#storedStatus.isUpToDate(stored.status, status)) {
      this.#unchanged = { stored, readings };
      return;
    }
    this.#node = await client.update(nodes, { ...stored, status }, { subresource: "status", ...call });
    this.#storedStatus.noteWrite(status, this.#node.status ?? {});
    this.#writtenMs = clock.monotonicMs();
    this.#tellReboot(stored.status?.nodeInfo?.bootID ?? "", facts.bootId);
    this.#tellTransitions(stored.status?.conditions ?? [], status.conditions ?? []);
  }

  /**
   * The first try does not read from the server, as in upstream's `tryUpdateNodeStatus`. An
   * outdated copy results in a conflict, and the next try reads.
   */
  #newestAtHand(): Node | undefined {
    const copy = this.#deps.nodes.find({ namespace: "", name: this.#options.identity.nodeName });
    const last = this.#node;
    if (copy?.metadata.uid !== last?.metadata.uid) return copy;
    return revisionOf(last) > revisionOf(copy) ? last : copy;
  }

  async #readings(before: NodeStatus | undefined, signal: AbortSignal): Promise<Readings> {
    const [images, runtimeVersion] = await Promise.all([
      this.#images(before, signal),
      this.#runtimeVersion(before, signal),
    ]);
    const { health, pressure } = this.#deps;
    return {
      images,
      runtimeVersion,
      errors: this.errors(),
      pressure: pressure.conditions,
      handlers: health.handlers(),
      obeysGroupsPolicy: health.obeysGroupsPolicy(),
      volumesInUse: this.#deps.volumesInUse?.() ?? [],
    };
  }

  #status(facts: MachineFacts, before: NodeStatus | undefined, read: Readings): NodeStatus {
    const { clock } = this.#deps;
    const { identity, kubeletVersion } = this.#options;
    const { images, runtimeVersion, errors, pressure, handlers, obeysGroupsPolicy, volumesInUse } = read;
    return {
      ...before,
      addresses: nodeAddresses(identity, before?.addresses),
      allocatable: nodeAllocatable(identity, facts, before?.capacity),
      capacity: nodeCapacity(identity, facts, before?.capacity),
      conditions: nodeConditions({ errors, pressure, nowMs: clock.nowMs() }, before?.conditions ?? []),
      daemonEndpoints: { kubeletEndpoint: { Port: identity.port } },
      images,
      volumesInUse: volumesInUse.length > 0 ? [...volumesInUse] : undefined,
      runtimeHandlers: handlers.length > 0 ? nodeRuntimeHandlers(handlers) : undefined,
      features: obeysGroupsPolicy ? { supplementalGroupsPolicy: true } : undefined,
      nodeInfo: {
        architecture: facts.architecture,
        bootID: facts.bootId,
        containerRuntimeVersion: runtimeVersion,
        kernelVersion: facts.kernelVersion,
        kubeProxyVersion: "",
        kubeletVersion,
        machineID: facts.machineId,
        operatingSystem: facts.operatingSystem,
        osImage: facts.osImage,
        systemUUID: facts.systemUuid,
      },
    };
  }

  /** The largest images are first. If the list cannot be read, the reported list is unchanged. */
  async #images(before: NodeStatus | undefined, signal: AbortSignal): Promise<NonNullable<NodeStatus["images"]>> {
    try {
      const images = await this.#deps.runtime.listImages(signal);
      return images
        .map(({ repoDigests, repoTags, sizeBytes }) => ({ names: [...repoDigests, ...repoTags], sizeBytes }))
        .sort((a, b) => b.sizeBytes - a.sizeBytes || ((a.names[0] ?? "") < (b.names[0] ?? "") ? -1 : 1))
        .slice(0, imagesMax);
    } catch {
      return before?.images ?? [];
    }
  }

  async #runtimeVersion(before: NodeStatus | undefined, signal: AbortSignal): Promise<string> {
    try {
      const { runtimeName, runtimeVersion } = await this.#deps.runtime.version(signal);
      return `${runtimeName}://${runtimeVersion}`;
    } catch {
      return before?.nodeInfo?.containerRuntimeVersion ?? "";
    }
  }

  /**
   * The rule is upstream's (pkg/kubelet/nodestatus/setters.go, MachineInfo): a Node that never had
   * a status was not rebooted.
   */
  #tellReboot(before: string, now: string): void {
    if (before === "" || before === now) return;
    this.#tell("Warning", "Rebooted", `Node ${this.#options.identity.nodeName} has been rebooted, boot id: ${now}`);
  }

  #tellTransitions(before: readonly NodeCondition[], after: readonly NodeCondition[]): void {
    for (const condition of after) {
      const previous = before.find(({ type }) => type === condition.type);
      if (previous?.status === condition.status) continue;
      const reason = transitionReason(condition);
      if (reason === undefined) continue;
      this.#tell("Normal", reason, `Node ${this.#options.identity.nodeName} status is now: ${reason}`);
    }
  }

  #tell(type: "Normal" | "Warning", reason: string, message: string): void {
    const { nodeName } = this.#options.identity;
    this.#deps.events.record(nodeReference(nodeName), { type, reason, message });
  }
}

function transitionReason({ type, status }: NodeCondition): string | undefined {
  switch (type) {
    case "Ready":
      return status === "True" ? "NodeReady" : "NodeNotReady";
    case "MemoryPressure":
      return status === "True" ? "NodeHasInsufficientMemory" : "NodeHasSufficientMemory";
    case "DiskPressure":
      return status === "True" ? "NodeHasDiskPressure" : "NodeHasNoDiskPressure";
    case "PIDPressure":
      return status === "True" ? "NodeHasInsufficientPID" : "NodeHasSufficientPID";
    default:
      return undefined;
  }
}

function revisionOf(node: Node | undefined): number {
  return Number(node?.metadata.resourceVersion ?? 0);
}
