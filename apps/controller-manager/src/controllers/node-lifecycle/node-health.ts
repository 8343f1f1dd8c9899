import { findCondition, type Lease, type Node } from "@kintsugi/api";

/**
 * A running kubelet writes these fields; any change of these fields is a sign of life, even if the
 * kubelet's clock is wrong.
 */
interface SignsOfLife {
  leaseRenewTime: string | undefined;
  heartbeatTime: string | undefined;
}

interface NodeHealth extends SignsOfLife {
  heardMs: number;
}

/**
 * Records the time of each node's last sign of life, on this process's clock (the counted time of
 * `ApiContact`). The record is lost at a restart, after which every node counts as just renewed.
 */
export class NodeHealthMap {
  /** One small entry per node that exists, ordered by silence, the longest first. */
  readonly #byNode = new Map<string, NodeHealth>();

  /** @returns whether the lease shows that the node's kubelet is alive. */
  observeLease(node: string, lease: Lease | undefined, nowMs: number): boolean {
    return this.#observe(node, { leaseRenewTime: lease?.spec?.renewTime }, nowMs);
  }

  observeNode(node: Node, nowMs: number): void {
    const ready = findCondition(node.status?.conditions, "Ready");
    // The status Unknown is this controller's own write, and is therefore not a sign of life.
    const heartbeatTime = ready?.status === "Unknown" ? undefined : ready?.lastHeartbeatTime;
    this.#observe(node.metadata.name ?? "", { heartbeatTime }, nowMs);
  }

  silentForMs(node: string, nowMs: number): number {
    return Math.max(0, nowMs - (this.#byNode.get(node)?.heardMs ?? nowMs));
  }

  /**
   * Returns the nodes that have been silent for at least this time, the most silent first. Other
   * nodes are not inspected.
   */
  *silentFor(atLeastMs: number, nowMs: number): Generator<string, void> {
    for (const [node, { heardMs }] of this.#byNode) {
      if (nowMs - heardMs < atLeastMs) return;
      yield node;
    }
  }

  /** Treats every node as if it had just shown a sign of life. */
  resetAll(nowMs: number): void {
    for (const health of this.#byNode.values()) health.heardMs = nowMs;
  }

  forget(node: string): void {
    this.#byNode.delete(node);
  }

  #observe(node: string, seen: Partial<SignsOfLife>, nowMs: number): boolean {
    const known = this.#byNode.get(node);
    if (!known) {
      this.#byNode.set(node, { leaseRenewTime: undefined, heartbeatTime: undefined, ...seen, heardMs: nowMs });
      return true;
    }
    const leaseChanged = seen.leaseRenewTime !== undefined && seen.leaseRenewTime !== known.leaseRenewTime;
    const heartbeatChanged = seen.heartbeatTime !== undefined && seen.heartbeatTime !== known.heartbeatTime;
    if (seen.leaseRenewTime !== undefined) known.leaseRenewTime = seen.leaseRenewTime;
    if (seen.heartbeatTime !== undefined) known.heartbeatTime = seen.heartbeatTime;
    if (leaseChanged || heartbeatChanged) this.#heard(node, known, nowMs);
    return leaseChanged || heartbeatChanged;
  }

  /** The entry moves to the end, which has the shortest silence. */
  #heard(node: string, known: NodeHealth, nowMs: number): void {
    known.heardMs = nowMs;
    this.#byNode.delete(node);
    this.#byNode.set(node, known);
  }
}
