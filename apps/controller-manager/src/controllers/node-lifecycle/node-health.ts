import { findCondition, type Lease, type Node } from "@kintsugi/api";

/**
 * What a node's kubelet writes when it is alive; any change of it is a sign of life, whatever the
 * kubelet's clock says.
 */
interface SignsOfLife {
  leaseRenewTime: string | undefined;
  heartbeatTime: string | undefined;
}

interface NodeHealth extends SignsOfLife {
  heardMs: number;
}

/**
 * When each node was last heard, on this process's clock (the counted time of `ApiContact`).
 * Nothing here is kept over a restart: after one, every node has been heard just now.
 */
export class NodeHealthMap {
  /** One small entry per node that exists. */
  readonly #byNode = new Map<string, NodeHealth>();

  /** @returns whether the lease shows that the node's kubelet is alive. */
  observeLease(node: string, lease: Lease | undefined, nowMs: number): boolean {
    return this.#observe(node, { leaseRenewTime: lease?.spec?.renewTime }, nowMs);
  }

  observeNode(node: Node, nowMs: number): void {
    const ready = findCondition(node.status?.conditions, "Ready");
    // What this controller itself has written is not a sign of life.
    const heartbeatTime = ready?.status === "Unknown" ? undefined : ready?.lastHeartbeatTime;
    this.#observe(node.metadata.name ?? "", { heartbeatTime }, nowMs);
  }

  silentForMs(node: string, nowMs: number): number {
    return Math.max(0, nowMs - (this.#byNode.get(node)?.heardMs ?? nowMs));
  }

  /** Every node starts afresh, as if heard now. */
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
    if (leaseChanged || heartbeatChanged) known.heardMs = nowMs;
    return leaseChanged || heartbeatChanged;
  }
}
