// An operator with Kubernetes' JavaScript client. It counts each order once in a ledger, and writes
// the count into the order's status. One of several instances leads.
import * as k8s from "@kubernetes/client-node";

export const orders = { group: "shop.example.com", version: "v1", plural: "orders" };
const namespace = "default";
const ledgerKey = { namespace, name: "ledger" };
const leaseKey = { namespace, name: "ledger-operator" };
/** Tests restart the operator many times, and each time wait for the previous Lease. */
const leaseMs = 100;

/** Keeps its connections; the library's own configuration makes a connection for each request. */
export class OneConnection extends k8s.KubeConfig {
  #dispatcher;

  createDispatcher(...args) {
    return (this.#dispatcher ??= super.createDispatcher(...args));
  }
}

export class LedgerOperator {
  #core;
  #custom;
  #coordination;
  #identity;
  #isCareful;
  #pauseMs;
  #onError;
  #seen = { holder: "", renewTime: "", atMs: 0 };

  /** @param isCareful false plants the bug: the count and its proof are two writes. */
  constructor(config, { identity, isCareful = true, pauseMs = 10, onError = () => {} }) {
    this.#core = config.makeApiClient(k8s.CoreV1Api);
    this.#custom = config.makeApiClient(k8s.CustomObjectsApi);
    this.#coordination = config.makeApiClient(k8s.CoordinationV1Api);
    this.#identity = identity;
    this.#isCareful = isCareful;
    this.#pauseMs = pauseMs;
    this.#onError = onError;
  }

  /** Runs until the signal aborts; a failed call is repeated after a pause. */
  async run(signal) {
    while (!signal.aborted) {
      await this.#step(signal).catch(this.#onError);
      await new Promise((done) => setTimeout(done, this.#pauseMs));
    }
  }

  async #step(signal) {
    if (!(await this.#leads())) return;
    const { items } = await this.#custom.listNamespacedCustomObject({ ...orders, namespace });
    for (const order of items) {
      if (signal.aborted) return;
      if (order.status?.counted === true) continue;
      await this.#count(order, signal);
    }
  }

  async #count({ metadata: { name, uid } }, signal) {
    const ledger = await this.#ledger();
    const counted = JSON.parse(ledger.data.counted);
    const isNew = this.#isCareful ? !counted.includes(uid) : true;
    if (isNew) {
      const data = { total: String(Number(ledger.data.total) + 1), counted: JSON.stringify([...counted, uid]) };
      await this.#core.replaceNamespacedConfigMap({ ...ledgerKey, body: { ...ledger, data } });
    }
    // A process that is killed here has counted, but has not recorded that.
    if (signal.aborted) return;
    const body = [{ op: "add", path: "/status", value: { counted: true } }];
    await this.#custom.patchNamespacedCustomObjectStatus({ ...orders, namespace, name, body });
  }

  async #ledger() {
    try {
      return await this.#core.readNamespacedConfigMap(ledgerKey);
    } catch (error) {
      if (error.code !== 404) throw error;
      const body = { metadata: ledgerKey, data: { total: "0", counted: "[]" } };
      return await this.#core.createNamespacedConfigMap({ namespace, body });
    }
  }

  /**
   * Acquires the Lease, or renews it. Another holder's Lease is judged by the time for which it did
   * not change.
   */
  async #leads() {
    const now = new k8s.V1MicroTime();
    const wanted = { holderIdentity: this.#identity, leaseDurationSeconds: 1, renewTime: now };
    let lease;
    try {
      lease = await this.#coordination.readNamespacedLease(leaseKey);
    } catch (error) {
      if (error.code !== 404) throw error;
      await this.#coordination.createNamespacedLease({ namespace, body: { metadata: leaseKey, spec: wanted } });
      return true;
    }
    const { holderIdentity: holder, renewTime } = lease.spec;
    const seen = JSON.stringify(renewTime) ?? "";
    if (holder !== this.#seen.holder || seen !== this.#seen.renewTime)
      this.#seen = { holder, renewTime: seen, atMs: performance.now() };
    const ageMs = performance.now() - this.#seen.atMs;
    if (holder === this.#identity && ageMs < leaseMs / 3) return true;
    if (holder !== this.#identity && ageMs < leaseMs) return false;
    await this.#coordination.replaceNamespacedLease({ ...leaseKey, body: { ...lease, spec: wanted } });
    return true;
  }
}
