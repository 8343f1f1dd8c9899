import { formatMicroTime, type Lease, type Node } from "@kintsugi/api";
import { aNode, type ControllerTestCluster } from "./test-cluster.ts";

/**
 * Does a kubelet's part for its node's liveness: it renews the Lease every ten seconds and posts
 * its status once.
 */
export class TestKubelet {
  alive = true;
  readonly #cluster: ControllerTestCluster;
  readonly #name: string;

  constructor(cluster: ControllerTestCluster, name: string, labels: Record<string, string> = {}) {
    this.#cluster = cluster;
    this.#name = name;
    cluster.put("nodes", aNode(name, { labels, nowMs: cluster.clock.nowMs() }));
    this.#renew();
  }

  /** Makes the node show signs of life again: its status and its Lease. */
  return(): void {
    this.alive = true;
    this.postStatus("True");
    this.renewLease();
  }

  postStatus(ready: "True" | "False"): void {
    const node = this.#cluster.node(this.#name);
    const fresh = aNode(this.#name, { ready, nowMs: this.#cluster.clock.nowMs() });
    const own = new Set((fresh.status?.conditions ?? []).map((condition) => condition.type));
    const others = (node.status?.conditions ?? []).filter((condition) => !own.has(condition.type));
    const conditions = [...(fresh.status?.conditions ?? []), ...others];
    this.#cluster.put("nodes", { ...node, status: { ...node.status, conditions } } as Node);
  }

  #renew(): void {
    if (this.alive && !this.#cluster.api.isDown) this.renewLease();
    this.#cluster.clock.after(10_000, () => this.#renew());
  }

  renewLease(): void {
    const lease: Lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace: "kube-node-lease", name: this.#name },
      spec: {
        holderIdentity: this.#name,
        leaseDurationSeconds: 40,
        renewTime: formatMicroTime(this.#cluster.clock.nowMs()),
      },
    };
    this.#cluster.put("leases", lease);
  }
}
