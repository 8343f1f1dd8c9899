import { builtInKinds, formatMicroTime, type Lease, leases, nodes, nodeLeaseNamespace } from "@kintsugi/api";
import { storedObject } from "@kintsugi/api-server/factory";
import type { Clock, Random } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import type { RehearsedNode } from "./rehearsed-node.ts";

export interface HeartbeatsDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  /** Reports whether kubelets can reach the API server now. */
  readonly isReachable: () => boolean;
}

export interface HeartbeatsOptions {
  /** Interval at which a kubelet renews its Lease. */
  readonly renewIntervalMs: number;
  /** Time without a renewal after which a node counts as lost. */
  readonly graceMs: number;
  readonly durationMs: number;
}

const leaseKind = builtInKinds.find(({ type }) => type.resource === leases.resource && type.group === leases.group);

/** Renews the Leases of sleeping nodes, each at its own times, as their kubelets would. */
export class Heartbeats {
  readonly #deps: HeartbeatsDeps;
  readonly #options: HeartbeatsOptions;
  readonly #uids = new Map<string, string>();
  readonly #waiting = new Set<string>();
  #intervalMs: number;

  constructor(deps: HeartbeatsDeps, options: HeartbeatsOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#intervalMs = options.renewIntervalMs;
  }

  /**
   * Renews Leases as rarely as possible for nodes that must not count as lost: an interval before
   * the end of the grace period. To be called when sleeping nodes will not be lost, so that the
   * time of their last renewal does not matter.
   */
  thinOut(): void {
    const { graceMs, renewIntervalMs } = this.#options;
    this.#intervalMs = Math.max(1, Math.floor(graceMs / renewIntervalMs) - 1) * renewIntervalMs;
  }

  /** Writes the first Lease of each node that is on, and renews them from then on. */
  async begin(all: readonly { readonly node: RehearsedNode; readonly uid: string }[]): Promise<void> {
    for (const { node, uid } of all) {
      this.#uids.set(node.name, uid);
      await this.#renew(node);
      this.#renewAfter(node, this.#deps.random.float() * this.#options.renewIntervalMs);
    }
  }

  /** Resumes the renewals of a node that sleeps again. */
  resume(node: RehearsedNode): void {
    this.#renewAfter(node, this.#options.renewIntervalMs / 2);
  }

  #renewAfter(node: RehearsedNode, afterMs: number): void {
    if (this.#waiting.has(node.name)) return;
    this.#waiting.add(node.name);
    this.#deps.clock.after(afterMs, () => {
      this.#waiting.delete(node.name);
      // A node that has woken renews its Lease itself, and a lost node never renews it again.
      if (!node.isAsleep) return;
      if (this.#deps.isReachable()) void this.#renew(node);
      this.#renewAfter(node, this.#intervalMs);
    });
  }

  async #renew({ name }: RehearsedNode): Promise<void> {
    if (leaseKind === undefined) throw new Error("there is no kind of Leases");
    const { clock, store } = this.#deps;
    const lease: Lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: {
        name,
        namespace: nodeLeaseNamespace,
        uid: `lease-of-${name}`,
        creationTimestamp: "2026-01-01T00:00:00Z",
        ownerReferences: [{ apiVersion: "v1", kind: nodes.kind, name, uid: this.#uids.get(name) ?? "" }],
      },
      spec: {
        holderIdentity: name,
        leaseDurationSeconds: Math.ceil(this.#options.durationMs / 1000),
        renewTime: formatMicroTime(clock.nowMs()),
      },
    };
    const { key, put, index } = storedObject(leaseKind, lease);
    await store.update(key, () => ({ put, index, result: undefined }));
  }
}
