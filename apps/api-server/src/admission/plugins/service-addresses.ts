import {
  AddressGuard,
  type Endpoints,
  endpoints,
  forbidden,
  formatIpv4Range,
  type Node,
  nodeNetworks,
  nodeNetworksField,
  nodes,
  type Service,
  services,
} from "@kintsugi/api";
import type { Entry, Store } from "@kintsugi/store";
import { decodeEntry } from "../../resources/encoding.ts";
import { storeKey, storePrefix } from "../../resources/keys.ts";
import { readyRanges } from "../../resources/service-ranges.ts";
import type { ServerOptions } from "../../server-options.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission.ts";

/**
 * Rejects a Service that has an address of the cluster itself, because every node would redirect
 * packets for that address to the Service's pods, including packets of its own kubelet. This is
 * Kintsugi's own rule, which cannot be disabled by a flag. An unchanged address is not checked
 * again; the proxies do not write rules for it.
 */
export function serviceAddresses(
  { store }: { store: Pick<Store, "list"> },
  options: Pick<ServerOptions, "advertised" | "serviceClusterIpRange" | "reservedAddresses">,
): AdmissionStep {
  return {
    name: "ServiceAddresses",
    handles: { operations: ["create", "update"], resources: [services], subresources: [""] },
    validate: (request) => {
      const known = new Set(externalIpsOf(request.before));
      const added = [...externalIpsOf(request.object).entries()].filter(([, address]) => !known.has(address));
      if (added.length === 0) return undefined;
      const guard = guardOf(request, { store, options });
      for (const [index, address] of added) {
        const owner = guard.ownerOf(address);
        if (owner === undefined) continue;
        const because = `spec.externalIPs[${index}]: ${address} is an address of ${owner}, which a Service may not have`;
        return forbidden(request.resource.type, request.name, because);
      }
      return undefined;
    },
  };
}

function externalIpsOf(object: AdmissionRequest["object"]): readonly string[] {
  return ((object ?? {}) as Partial<Service>).spec?.externalIPs ?? [];
}

function guardOf(
  { reader }: AdmissionRequest,
  { store, options }: { store: Pick<Store, "list">; options: Parameters<typeof serviceAddresses>[1] },
): AddressGuard {
  const { advertised, serviceClusterIpRange, reservedAddresses } = options;
  const servers = reader.find(storeKey(endpoints, "default", "kubernetes"));
  const networks = store.list(storePrefix(nodes, "")).entries.flatMap(networksOf);
  return new AddressGuard([
    {
      owner: "the control plane",
      ranges: [
        ...(advertised === undefined ? [] : [advertised.address]),
        ...reservedAddresses,
        ...(servers === undefined ? [] : addressesOf(decodeEntry(servers) as Endpoints)),
      ],
    },
    { owner: "a node", ranges: networks.filter((range) => !range.includes("/")) },
    { owner: "pods", ranges: networks.filter((range) => range.includes("/")) },
    { owner: "Services", ranges: [serviceClusterIpRange, ...readyRanges(store).map(formatIpv4Range)] },
  ]);
}

function addressesOf({ subsets }: Endpoints): string[] {
  return (subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
}

/** A Node that an older version wrote lacks this field until its next change. */
function networksOf(entry: Entry): readonly string[] {
  const indexed = entry.index.fields?.[nodeNetworksField];
  if (indexed !== undefined) return indexed.split(",");
  const { addresses, podRanges } = nodeNetworks(decodeEntry(entry) as Node);
  return [...addresses, ...podRanges];
}
