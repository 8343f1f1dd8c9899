import type { APIServiceCondition, Endpoints, Service } from "@kintsugi/api";
import type { RemoteService } from "./service-directory.ts";

/** The Service of a remote APIService and its endpoints, as stored. */
export interface ObservedBackend {
  readonly service: Service | undefined;
  readonly endpoints: Endpoints | undefined;
}

type Unavailable = Omit<APIServiceCondition, "lastTransitionTime">;

/**
 * Finds the reason why a remote service cannot be reached, before a request is sent to it;
 * undefined when there is no such reason. The reasons and messages follow kube-aggregator.
 */
export function planAvailability(
  { service: reference }: Pick<RemoteService, "service">,
  { service, endpoints }: ObservedBackend,
): Unavailable | undefined {
  const shown = `service/${reference.name} in ${JSON.stringify(reference.namespace)}`;
  if (service === undefined) return unavailable("ServiceNotFound", `${shown} is not present`);
  // Only addresses of pods are dialed, and a name outside the cluster is not such an address.
  if (service.spec?.type === "ExternalName") {
    return unavailable("ServiceAccessError", `${shown} has the type ExternalName, which is not supported`);
  }
  const port = service.spec?.ports?.find((each) => each.port === reference.port);
  if (port === undefined) {
    return unavailable("ServicePortError", `${shown} is not listening on port ${reference.port}`);
  }
  if (endpoints === undefined) {
    return unavailable("EndpointsNotFound", `cannot find endpoints for ${shown}`);
  }
  const portName = port.name ?? "";
  const isReady = (endpoints.subsets ?? []).some(
    ({ addresses = [], ports = [] }) => addresses.length > 0 && ports.some(({ name = "" }) => name === portName),
  );
  if (isReady) return undefined;
  const why = `endpoints for ${shown} have no addresses with port name ${JSON.stringify(portName)}`;
  return unavailable("MissingEndpoints", why);
}

/** The condition of a service whose server answers. */
export const passed: Unavailable = {
  type: "Available",
  status: "True",
  reason: "Passed",
  message: "all checks passed",
};

export function failedDiscovery(url: string, why: string): Unavailable {
  return unavailable("FailedDiscoveryCheck", `failing or missing response from ${url}: ${why}`);
}

function unavailable(reason: string, message: string): Unavailable {
  return { type: "Available", status: "False", reason, message };
}
