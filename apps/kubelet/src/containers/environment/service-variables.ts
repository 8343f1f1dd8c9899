import type { Service, ServicePort } from "@kintsugi/api";

/** The address of one Service, as the variables of pods contain it. */
interface ServiceAddress {
  name: string;
  address: string;
  ports: readonly ServicePort[];
}

/** The ways in which pods of a node reach the API. */
export interface WayToApi {
  /** Addresses of Services lead somewhere on this node. */
  hasProxy: boolean;
  /** The address of the server itself, where pods may get it. */
  server: { host: string; port: string } | undefined;
}

/**
 * Returns the variables of the Services that a pod sees from its birth: those of its namespace,
 * unless it wants none, and `kubernetes` of the namespace default, which one of that name in its
 * own namespace hides (getServiceEnvVarMap, envvars.FromServices). Where no proxy leads to that
 * one's address, or it is not there or not known yet, it represents the server itself, at the
 * address by which the kubelet reaches it: a running container cannot learn of it later.
 */
export function serviceVariables(
  services: readonly Service[],
  pod: { namespace: string; enableServiceLinks: boolean },
  { hasProxy, server }: WayToApi,
): [string, string][] {
  const linked = services
    .filter(({ metadata }) => pod.enableServiceLinks && metadata.namespace === pod.namespace)
    .filter((service) => !isApi(service))
    .flatMap(addressOf)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const [api = server && addressOfServer(server)] = hasProxy ? services.filter(isApi).flatMap(addressOf) : [];
  const isHidden = linked.some(({ name }) => name === api?.name);
  return [...(api && !isHidden ? [api] : []), ...linked].flatMap(variablesOf);
}

function isApi({ metadata }: Service): boolean {
  return metadata.namespace === "default" && metadata.name === "kubernetes";
}

function addressOfServer({ host, port }: { host: string; port: string }): ServiceAddress {
  return { name: "kubernetes", address: host, ports: [{ name: "https", protocol: "TCP", port: Number(port) }] };
}

/** None for a Service that has no address of its own. */
function addressOf({ metadata, spec }: Service): ServiceAddress[] {
  const { clusterIP = "", ports = [] } = spec ?? {};
  const { name = "" } = metadata;
  return clusterIP === "" || clusterIP === "None" || ports.length === 0 ? [] : [{ name, address: clusterIP, ports }];
}

function variablesOf({ name, address, ports }: ServiceAddress): [string, string][] {
  const prefix = variableName(name);
  const first = String(ports[0]?.port ?? "");
  const named = ports.flatMap(({ name: portName, port }): [string, string][] =>
    portName ? [[`${prefix}_SERVICE_PORT_${variableName(portName)}`, String(port)]] : [],
  );
  const host = address.includes(":") ? `[${address}]` : address;
  const links = ports.flatMap(({ protocol = "TCP", port }, i): [string, string][] => {
    const url = `${protocol.toLowerCase()}://${host}:${port}`;
    const own = `${prefix}_PORT_${port}_${protocol}`;
    return [
      // Docker's links had the same form.
      ...(i === 0 ? ([[`${prefix}_PORT`, url]] as [string, string][]) : []),
      [own, url],
      [`${own}_PROTO`, protocol.toLowerCase()],
      [`${own}_PORT`, String(port)],
      [`${own}_ADDR`, address],
    ];
  });
  return [[`${prefix}_SERVICE_HOST`, address], [`${prefix}_SERVICE_PORT`, first], ...named, ...links];
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}
