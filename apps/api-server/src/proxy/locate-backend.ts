import {
  badRequest,
  type Endpoints,
  endpoints,
  type EndpointAddress,
  notFound,
  type Pod,
  pods,
  type Service,
  services,
  serviceUnavailable,
} from "@kintsugi/api";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { ServerContext } from "../server-context.ts";
import { type BackendName, parseBackendName, portNumberOf } from "./backend-name.ts";
import { type BackendTarget, unreachableBackend } from "./backend-dialer.ts";

type Reader = Pick<ServerContext, "store" | "random">;

interface NamedObject {
  namespace: string;
  /** The name unchanged in the path, with scheme and port. */
  name: string;
}

/** Finds the server for pods/NAME/proxy. @throws ApiError */
export function locatePod(context: Reader, { namespace, name: text }: NamedObject): BackendTarget {
  const asked = parseBackendName(text, "pod");
  const pod = findPod(context, namespace, asked.name);
  if (pod === undefined) throw notFound(pods, asked.name);
  const { phase, podIPs = [], podIP } = pod.status ?? {};
  const address = podIPs[0]?.ip ?? podIP ?? "";
  if (address === "") throw badRequest("address not allowed");
  // The address of an ended pod may already belong to another pod of another namespace.
  if (phase === "Succeeded" || phase === "Failed") throw unreachableBackend(`pod ${asked.name} has ended (${phase})`);
  return { scheme: asked.scheme, address, port: portOfPod(pod, asked) };
}

function portOfPod(pod: Pod, { scheme, port }: BackendName): number {
  if (port === "") {
    const declared = (pod.spec?.containers ?? []).flatMap(({ ports = [] }) => ports)[0];
    return declared?.containerPort ?? (scheme === "https" ? 443 : 80);
  }
  const number = portNumberOf(port);
  // Port names are defined by a Service. Upstream looks port names up with the resolver, which has
  // no names of ports.
  if (number === undefined) throw unreachableBackend(`lookup tcp/${port}: unknown port`);
  return number;
}

/**
 * Finds the server for services/NAME/proxy: a random ready endpoint of the port. Only addresses of
 * pods of the Service's own namespace count, because a user who may write endpoints could name any
 * address. @throws ApiError
 */
export function locateService(context: Reader, { namespace, name: text }: NamedObject): BackendTarget {
  return locateEndpoint(context, { namespace, ...parseBackendName(text, "service") }, text);
}

/** @param shown the name in the error for a Service without endpoints. */
function locateEndpoint(
  context: Reader,
  { namespace, scheme, name, port }: BackendName & { namespace: string },
  shown: string,
): BackendTarget {
  const serviceEntry = context.store.find(storeKey(services, namespace, name));
  if (serviceEntry === undefined) throw notFound(services, name);
  const portName = portNameOf(decodeEntry(serviceEntry) as Service, port);
  const entry = context.store.find(storeKey(endpoints, namespace, name));
  const { subsets = [] } = entry === undefined ? {} : (decodeEntry(entry) as Endpoints);
  if (subsets.length === 0) throw noEndpoints(name);
  for (const { addresses = [], ports = [] } of rotated(subsets, context)) {
    const found = ports.find((candidate) => (candidate.name ?? "") === portName);
    if (found === undefined) continue;
    const address = rotated(addresses, context).find((each) => isOfPod(context, namespace, each));
    if (address !== undefined) return { scheme, address: address.ip, port: found.port };
  }
  throw noEndpoints(shown);
}

/**
 * Finds the server of a webhook. The error for a missing Service is the error of upstream's lister,
 * in the singular: `service "x" not found`. The error for a Service without endpoints names it
 * without its port.
 * @throws ApiError
 */
export function locateWebhook(context: Reader, service: { namespace: string; name: string; port: number }) {
  const { namespace, name, port } = service;
  const isThere = context.store.find(storeKey(services, namespace, name)) !== undefined;
  if (!isThere) throw notFound({ group: services.group, resource: "service" }, name);
  return locateEndpoint(context, { namespace, scheme: "https", name, port: String(port) }, name);
}

/** A number is a port of the Service, and represents the name of that port. */
function portNameOf(service: Service, port: string): string {
  const number = portNumberOf(port);
  if (number === undefined) return port;
  const found = service.spec?.ports?.find((candidate) => candidate.port === number);
  if (found !== undefined) return found.name ?? "";
  const name = JSON.stringify(service.metadata.name ?? "");
  throw serviceUnavailable(`no service port ${number} found for service ${name}`);
}

function isOfPod(context: Reader, namespace: string, { ip, targetRef }: EndpointAddress): boolean {
  if (targetRef?.kind !== "Pod" || targetRef.namespace !== namespace) return false;
  const pod = findPod(context, namespace, targetRef.name ?? "");
  return (pod?.status?.podIPs ?? []).some((each) => each.ip === ip);
}

function findPod({ store }: Reader, namespace: string, name: string): Pod | undefined {
  const entry = store.find(storeKey(pods, namespace, name));
  return entry === undefined ? undefined : (decodeEntry(entry) as Pod);
}

/** The same list, starting at a random index. */
function rotated<T>(list: readonly T[], { random }: Reader): T[] {
  const start = list.length < 2 ? 0 : random.integer(list.length);
  return [...list.slice(start), ...list.slice(0, start)];
}

function noEndpoints(name: string) {
  return serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
}
