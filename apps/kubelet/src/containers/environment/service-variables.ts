import type { Service, ServicePort } from "@kintsugi/api";

/** The address of one Service, as the variables of pods contain it. */
interface ServiceAddress {
  name: string;
  address: string;
  ports: readonly ServicePort[];
}

/** The ways in which pods of a node reach the API. */
export interface WayToApi {
  /** True where addresses of Services work on this node. */
  hasProxy: boolean;
  /** The address of the server itself, where pods may use it. */
  server: { host: string; port: string } | undefined;
}

/**
 * Returns the variables of the Services that exist when a pod starts: the variables of Services of
 * its namespace, unless it disables them, and `kubernetes` of the namespace default, which a
 * Service of that name in its own namespace hides (getServiceEnvVarMap, envvars.FromServices).
 * Where a proxy does not serve the address of `kubernetes`, or the Service is missing or not read
 * yet, the variables contain the server's own address as the kubelet reaches it, because a running
 * container cannot get it later.
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

/** Undefined for a Service without a cluster IP. */
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
      // Docker's links had the same format.
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
