import {
  addressFamily,
  defaultServiceCidrName,
  formatIpv4Range,
  ipAddresses,
  ipAllocatorName,
  ipFamilyLabel,
  isApiError,
  managedByLabel,
  parseIpv4Range,
  sameJson,
  type ServiceCIDR,
  serviceCidrs,
  services,
  withCondition,
} from "@kintsugi/api";
import { Waiter } from "@kintsugi/clock";
import type { CommittedChange, Entry } from "@kintsugi/store";
import { ensureObject, serverCall } from "../bootstrap/ensure-objects.ts";
import { decodeEntry, encodeObject } from "../resources/encoding.ts";
import { storeKey, storePrefix, storeResource } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";
import { update } from "../verbs/update.ts";
import { planAddresses, type WantedAddress } from "./plan-addresses.ts";

/** Upstream's interval after which failed writes are retried. */
const retryMs = 10_000;
/**
 * Interval of passes without a change. Every change of a Service, an address or a range wakes the
 * loop, so these passes normally have no work. Each pass reads all Services, which is expensive for
 * thousands of Services.
 */
const intervalMs = 600_000;
/** Number of writes that share one disk write. */
const writesAtOnce = 64;

const observed: ReadonlySet<string> = new Set([services, ipAddresses, serviceCidrs].map(storeResource));

/**
 * Maintains the default ServiceCIDR, and one IPAddress for each cluster IP of a Service. The
 * addresses are derived from the Services, which decide who has an address.
 */
export class ServiceAddressLoop {
  readonly #context: ServerContext;
  readonly #waiter = new Waiter();
  #isDue = true;
  #complaint = "";

  constructor(context: ServerContext) {
    this.#context = context;
  }

  observe(changes: readonly CommittedChange[]): void {
    if (!changes.some(({ resource }) => observed.has(resource))) return;
    this.#isDue = true;
    this.#waiter.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isDue = false;
      let restMs = intervalMs;
      try {
        await this.ensureDefaultRange();
        await this.#syncAddresses();
        this.#complaint = "";
      } catch (error) {
        restMs = retryMs;
        if (!signal.aborted) this.#complain("failed to reconcile the addresses of Services", { error });
      }
      if (!this.#isDue && !signal.aborted) await this.#waiter.waitAtMost(restMs, this.#context.clock, signal);
    }
  }

  /**
   * Creates the default range where it is missing, and declares it ready where its ranges match
   * this server's settings. A range that differs is unchanged, because Services have addresses from
   * it.
   */
  async ensureDefaultRange(): Promise<void> {
    const { store, clock, options, registry } = this.#context;
    const cidrs = [formatIpv4Range(parseIpv4Range(options.serviceClusterIpRange))];
    const key = storeKey(serviceCidrs, "", defaultServiceCidrName);
    if (store.find(key) === undefined) {
      const metadata = { name: defaultServiceCidrName };
      await ensureObject(this.#context, {
        apiVersion: "networking.k8s.io/v1",
        kind: serviceCidrs.kind,
        metadata,
        spec: { cidrs },
      });
    }
    const entry = store.find(key);
    if (entry === undefined || entry.index.deleting === true) return;
    const range = decodeEntry(entry) as unknown as ServiceCIDR;
    if (!sameJson(range.spec?.cidrs, cidrs)) {
      const wanted = cidrs.join(",");
      return this.#complain("the default ServiceCIDR is not --service-cluster-ip-range", { range: range.spec, wanted });
    }
    const { conditions } = range.status ?? {};
    if (conditions?.some(({ type, status }) => type === "Ready" && status !== "Unknown") === true) return;
    const ready = {
      type: "Ready",
      status: "True",
      reason: "",
      message: "Kubernetes default Service CIDR is ready",
    } as const;
    const object = { ...range, status: { conditions: withCondition(conditions, ready, clock.nowMs()) } };
    const call = { method: "PUT", object: object as unknown as KubeObject, subresource: "status" } as const;
    try {
      await update(this.#context, serverCall(this.#context, registry.get(serviceCidrs), call));
    } catch (error) {
      // Another server, or the controller, wrote first.
      if (!isApiError(error, "Conflict")) throw error;
    }
  }

  async #syncAddresses(): Promise<void> {
    const { store } = this.#context;
    const entries = store.list(storePrefix(services, "")).entries;
    const plan = planAddresses(entries, store.list(storePrefix(ipAddresses, "")).entries);
    const steps = [
      ...plan.remove.map((entry) => () => this.#remove(entry)),
      ...plan.create.map((wanted) => () => ensureObject(this.#context, addressFor(wanted))),
    ];
    for (let start = 0; start < steps.length; start += writesAtOnce) {
      await Promise.all(steps.slice(start, start + writesAtOnce).map((step) => step()));
    }
  }

  async #remove({ key, revision }: Entry): Promise<void> {
    await this.#context.store.update(
      key,
      (current) => {
        if (current === undefined || current.revision !== revision) return { keep: true, result: undefined };
        return { delete: encodeObject(decodeEntry(current)), index: current.index, result: undefined };
      },
      { important: true },
    );
  }

  /** Logs once while the reason is the same. */
  #complain(phrase: string, fields: Record<string, unknown>): void {
    const complaint = `${phrase} ${String(fields["error"])}`;
    if (complaint !== this.#complaint) this.#context.log.warn(phrase, fields);
    this.#complaint = complaint;
  }
}

function addressFor({ address, namespace, name }: WantedAddress): KubeObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: ipAddresses.kind,
    metadata: {
      name: address,
      labels: { [ipFamilyLabel]: addressFamily(address) ?? "", [managedByLabel]: ipAllocatorName },
    },
    spec: { parentRef: { group: "", resource: services.resource, namespace, name } },
  };
}
