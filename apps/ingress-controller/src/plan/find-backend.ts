import {
  checkNotSpecial,
  type EndpointSlice,
  type IngressBackend,
  type Service,
  serviceNameLabel,
} from "@kintsugi/api";
import type { Backend, BackendServer } from "./route-plan.ts";

/** Limit of the endpoints of a Service, because the server's table is finite. */
const serversMax = 1000;

export interface ServiceView {
  findService(namespace: string, name: string): Service | undefined;
  /** The slices of a Service, by its key "namespace/name". */
  slicesOf(namespace: string, name: string): readonly EndpointSlice[];
}

export type FoundBackend = Backend | { reason: string; message: string };

/** Looks up the ready endpoints of an Ingress's backend. */
export function findBackend(view: ServiceView, namespace: string, backend: IngressBackend): FoundBackend {
  if (backend.service === undefined)
    return { reason: "UnsupportedBackend", message: "resource backends are not served: name a Service instead" };
  const { name, port: wanted = {} } = backend.service;
  const service = view.findService(namespace, name);
  if (service === undefined) return { reason: "ServiceNotFound", message: `Service "${name}" does not exist` };
  // The name could resolve to any address that this host reaches, including its own.
  if (service.spec?.type === "ExternalName")
    return {
      reason: "UnsupportedBackend",
      message: `Service "${name}" has the type ExternalName, which is not served`,
    };
  const ports = service.spec?.ports ?? [];
  const port = ports.find((each) => (wanted.name ? each.name === wanted.name : each.port === wanted.number));
  const asked = wanted.name ? JSON.stringify(wanted.name) : String(wanted.number);
  if (port === undefined) return { reason: "PortNotFound", message: `Service "${name}" has no port ${asked}` };
  if ((port.protocol ?? "TCP") !== "TCP")
    return { reason: "UnsupportedBackend", message: `port ${asked} of Service "${name}" is ${port.protocol}, not TCP` };
  return {
    name: `${namespace}:${name}:${port.port}`,
    servers: readyServers(view.slicesOf(namespace, name), port.name ?? ""),
  };
}

/**
 * The ready endpoints of all slices, without duplicates and in order, so that equal states give
 * equal plans.
 */
function readyServers(slices: readonly EndpointSlice[], portName: string): BackendServer[] {
  const servers = new Map<string, BackendServer>();
  for (const { addressType, ports, endpoints } of slices) {
    const port = ports?.find((each) => (each.name ?? "") === portName)?.port;
    if (addressType === "FQDN" || port === undefined || port === null) continue;
    for (const { addresses, conditions } of endpoints ?? []) {
      const [address] = addresses;
      if (address === undefined || conditions?.ready === false || checkNotSpecial(address).length > 0) continue;
      servers.set(`${address} ${port}`, { address, port });
    }
  }
  return [...servers]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, serversMax)
    .map(([, server]) => server);
}

/** "namespace/name" of the Service of a slice, as the index of slices has it. */
export function serviceOfSlice({ metadata }: EndpointSlice): string[] {
  const name = metadata.labels?.[serviceNameLabel];
  return name === undefined ? [] : [`${metadata.namespace}/${name}`];
}
