import { formatMicroTime, isApiError, type Lease, leases, type Logger, nodeLeaseNamespace, nodes } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { backoffDelayMs, type Clock, Waiter } from "@kintsugi/clock";

export interface LeaseRenewerDeps {
  client: Client;
  clock: Clock;
  log: Logger;
  /**
   * Called with the last revisions that changed a pod of this node and the node itself, from the
   * answer to a renewal; 0 for no revision.
   */
  onRevisions(seen: { pods: number; node: number }): void;
  /** The time of the server, from one of its answers. */
  onDate(date: string | undefined): void;
  /** Called after a renewal, with the monotonic time before the renewal was sent. */
  onRenewed(sentAtMs: number): void;
}

export interface LeaseRenewerOptions {
  nodeName: string;
  durationMs: number;
  renewIntervalMs: number;
}

/**
 * Upstream's back-off while the API does not answer (controller.go): 200 ms, doubled up to 7 s, but
 * never longer than the renewal interval.
 */
const retryBackoff = { initialMs: 200, maxMs: 7000, factor: 2 };
/**
 * Number of immediate retries after another client has written the Lease, as in upstream's
 * `maxUpdateRetries`.
 */
const conflictsMax = 5;
const podsRevisionHeader = "kintsugi-node-pods-revision";
const nodeRevisionHeader = "kintsugi-node-revision";

/**
 * Renews the node's Lease, by which the control plane distinguishes a live node from a dead node.
 */
export class LeaseRenewer {
  readonly #deps: LeaseRenewerDeps;
  readonly #options: LeaseRenewerOptions;
  readonly #waiter = new Waiter();
  #latest: Lease | undefined;

  constructor(deps: LeaseRenewerDeps, options: LeaseRenewerOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    // Most of the grace period may have passed when the server is reachable again, so the pause
    // ends. Each node detects that the server is reachable when one of its own calls succeeds, so
    // the nodes do not all retry at the same time.
    const stopListening = this.#deps.client.onReturn(() => this.#waiter.wake());
    await this.#keepRenewing(signal);
    stopListening();
  }

  async #keepRenewing(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    let conflicts = 0;
    for (let failures = 0; !signal.aborted;) {
      const startedMs = clock.monotonicMs();
      try {
        await this.#renew(signal);
        this.#deps.onRenewed(startedMs);
        failures = 0;
        conflicts = 0;
        const spentMs = clock.monotonicMs() - startedMs;
        await clock.sleep(Math.max(0, this.#options.renewIntervalMs - spentMs), signal, "heartbeat");
      } catch (error) {
        if (signal.aborted) return;
        // The stored Lease differs from the remembered Lease, so it is read again. Where no answer
        // arrived, the Lease may be unchanged, and a read would be another call to an overloaded
        // server.
        if (isApiError(error)) this.#latest = undefined;
        if (isApiError(error, "Conflict") && conflicts++ < conflictsMax) continue;
        failures++;
        log.warn("lease not renewed", { failures, error });
        const pauseMs = Math.min(backoffDelayMs(failures, retryBackoff), this.#options.renewIntervalMs);
        await this.#waiter.waitAtMost(pauseMs, clock, signal);
      }
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const { nodeName } = this.#options;
    const options = { signal, timeoutMs: this.#options.renewIntervalMs, onHeaders: this.#noticeHeaders, urgent: true };
    const found =
      this.#latest ?? (await client.find(leases, { namespace: nodeLeaseNamespace, name: nodeName }, options));
    const wanted = await this.#wanted(found, signal);
    this.#latest = found ? await client.update(leases, wanted, options) : await client.create(leases, wanted, options);
  }

  async #wanted(found: Lease | undefined, signal: AbortSignal): Promise<Lease> {
    const { clock } = this.#deps;
    const { nodeName, durationMs } = this.#options;
    const ownerReferences = found?.metadata.ownerReferences ?? (await this.#owner(signal));
    return {
      metadata: {
        ...found?.metadata,
        namespace: nodeLeaseNamespace,
        name: nodeName,
        ...(ownerReferences ? { ownerReferences } : {}),
      },
      spec: {
        ...found?.spec,
        holderIdentity: nodeName,
        leaseDurationSeconds: Math.ceil(durationMs / 1000),
        renewTime: formatMicroTime(clock.nowMs()),
      },
    };
  }

  /**
   * The Node, which owns the Lease, so that the Lease is deleted with the Node. The Lease is also
   * renewed while the Node is unknown.
   */
  async #owner(signal: AbortSignal): Promise<Lease["metadata"]["ownerReferences"]> {
    const { nodeName } = this.#options;
    const node = await this.#deps.client.find(nodes, { namespace: "", name: nodeName }, { signal, urgent: true });
    if (node?.metadata.uid === undefined) return undefined;
    return [{ apiVersion: "v1", kind: "Node", name: nodeName, uid: node.metadata.uid }];
  }

  readonly #noticeHeaders = (headers: Readonly<Record<string, string>>): void => {
    this.#deps.onDate(headers["date"]);
    this.#deps.onRevisions({
      pods: revisionFrom(headers[podsRevisionHeader]),
      node: revisionFrom(headers[nodeRevisionHeader]),
    });
  };
}

function revisionFrom(text: string | undefined): number {
  const revision = Number(text ?? "0");
  return Number.isSafeInteger(revision) ? revision : 0;
}
