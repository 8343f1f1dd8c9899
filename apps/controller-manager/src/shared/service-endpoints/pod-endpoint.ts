import { isPodTerminal, type Pod, type Service, type ServicePort } from "@kintsugi/api";

/**
 * Returns the port of one pod that a Service's port targets; undefined if no container has a port
 * of that name.
 */
export function findPort(pod: Pod, { targetPort, port, protocol = "TCP" }: ServicePort): number | undefined {
  if (typeof targetPort !== "string") return targetPort ?? port;
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...(pod.spec?.containers ?? []), ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((candidate) => candidate.name === targetPort && (candidate.protocol ?? "TCP") === protocol)?.containerPort;
}

/** Reports whether the pod can be an endpoint: it has an address and has not ended. */
export function hasEndpoint(pod: Pod): boolean {
  return !isPodTerminal(pod) && (pod.status?.podIPs ?? []).length > 0;
}

/**
 * The pod's DNS name within its Service's domain; undefined if the pod has no name in that domain.
 */
export function hostnameIn(service: Service, { spec }: Pod): string | undefined {
  const { hostname = "", subdomain } = spec ?? {};
  return hostname !== "" && subdomain === service.metadata.name ? hostname : undefined;
}

/** Reports whether the Service has no address of its own. */
export function isHeadless({ spec }: Service): boolean {
  return (spec?.clusterIP ?? "") === "" || spec?.clusterIP === "None";
}

/**
 * Reports whether this controller manages the Service's endpoints; the author of any other Service
 * writes them.
 */
export function hasKeptEndpoints({ spec }: Service): boolean {
  return Object.keys(spec?.selector ?? {}).length > 0 && spec?.type !== "ExternalName";
}
