import { CloudError } from "../cloud-error.ts";
import type { LoadBalancer, LoadBalancerSpec } from "../cloud-provider.ts";
import type { CloudRecord } from "./cloud-record.ts";

/**
 * Returns the record with the balancer, which keeps its address.
 * @throws CloudError if the address is used or outside of this cloud, or all addresses are used.
 */
export function ensureBalancer(
  record: CloudRecord,
  spec: LoadBalancerSpec,
  addresses: readonly string[],
): { record: CloudRecord; balancer: LoadBalancer } {
  const other = spec.ports.find(({ protocol }) => protocol === "SCTP");
  if (other !== undefined)
    throw new CloudError(
      "InvalidRequest",
      `${other.protocol} ports are not supported: this cloud balances TCP and UDP`,
    );
  const before = record.balancers.find((each) => each.spec.name === spec.name);
  const others = record.balancers.filter((each) => each !== before);
  const balancer = { spec, address: addressFor(spec, { before, others, addresses }) };
  return { record: { ...record, balancers: [...others, balancer] }, balancer };
}

interface Addresses {
  readonly before: LoadBalancer | undefined;
  readonly others: readonly LoadBalancer[];
  readonly addresses: readonly string[];
}

function addressFor(spec: LoadBalancerSpec, { before, others, addresses }: Addresses): string {
  const taken = new Set(others.map(({ address }) => address));
  const { address: wanted = before?.address } = spec;
  if (wanted === undefined) {
    const free = addresses.find((address) => !taken.has(address));
    if (free !== undefined) return free;
    throw new CloudError("Exhausted", `all ${addresses.length} addresses of this cloud are in use`);
  }
  if (!addresses.includes(wanted))
    throw new CloudError(
      "InvalidRequest",
      `${wanted} is not an address of this cloud, which has ${addresses[0]} to ${addresses.at(-1)}`,
    );
  if (taken.has(wanted)) throw new CloudError("Conflict", `the address ${wanted} is in use by another load balancer`);
  return wanted;
}

export function deleteBalancer(record: CloudRecord, name: string): CloudRecord {
  return { ...record, balancers: record.balancers.filter(({ spec }) => spec.name !== name) };
}
