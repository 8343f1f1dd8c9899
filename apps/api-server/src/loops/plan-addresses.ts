import { addressFamily, addressParentField } from "@kintsugi/api";
import type { Entry } from "@kintsugi/store";
import { parseStoreKey } from "../resources/keys.ts";
import { isForeign } from "../resources/service-ranges.ts";

/** The address of a Service, and the Service's namespace and name. */
export interface WantedAddress {
  readonly address: string;
  readonly namespace: string;
  readonly name: string;
}

export interface AddressPlan {
  readonly create: readonly WantedAddress[];
  /** Entries for addresses that no Service has, or that another Service has. */
  readonly remove: readonly Entry[];
}

/**
 * The steps to one IPAddress for each cluster IP of a Service. An address whose object a client
 * created is unchanged.
 */
export function planAddresses(services: readonly Entry[], addresses: readonly Entry[]): AddressPlan {
  const wanted = new Map<string, WantedAddress>();
  for (const { key, index } of services) {
    const address = index.fields?.["spec.clusterIP"] ?? "";
    if (addressFamily(address) === undefined || index.fields?.["spec.type"] === "ExternalName") continue;
    wanted.set(address, { address, ...parseStoreKey(key) });
  }
  const remove: Entry[] = [];
  for (const entry of addresses) {
    const { name } = parseStoreKey(entry.key);
    const owner = wanted.get(name);
    // A wrong address is removed now, and the right address is created after the removal has been
    // observed.
    wanted.delete(name);
    if (!isForeign(entry) && (owner === undefined || entry.index.fields?.[addressParentField] !== parentOf(owner)))
      remove.push(entry);
  }
  return { create: [...wanted.values()], remove };
}

function parentOf({ namespace, name }: WantedAddress): string {
  return `services/${namespace}/${name}`;
}
