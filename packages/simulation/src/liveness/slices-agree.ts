import {
  type Endpoint,
  type Endpoints,
  type EndpointAddress,
  type EndpointSlice,
  isPodTerminal,
  mapSelector,
  matchesLabels,
  type Node,
  type Pod,
  type Service,
  serviceNameLabel,
} from "@kintsugi/api";
import type { SimulatedCluster } from "../cluster.ts";
import { isReady, parseValue } from "../committed-values.ts";

/**
 * Services whose slices, or Endpoints, differ from their pods; each pod has one endpoint, in one
 * slice.
 */
export function wrongSlices(
  { store }: Pick<SimulatedCluster, "store">,
  namespace: string,
  { pods, nodes }: { pods: readonly Pod[]; nodes: readonly Node[] },
): string[] {
  const stored = <T>(resource: string) =>
    store.list(`${resource}/${namespace}/`).entries.map(({ value }) => parseValue<T>(value));
  const slices = stored<EndpointSlice>("discovery.k8s.io/endpointslices");
  const endpoints = stored<Endpoints>("core/endpoints");
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  return stored<Service>("core/services").flatMap(({ metadata, spec }) => {
    const selector = mapSelector(spec?.selector);
    if (selector.nothing === true) return [];
    const own = slices.filter(({ metadata: { labels } }) => labels?.[serviceNameLabel] === metadata.name);
    const told = own.flatMap(({ endpoints = [] }) => endpoints.map(describeEndpoint)).toSorted();
    const behind = pods.filter((pod) => matchesLabels(selector, pod.metadata.labels) && isServed(pod, known));
    const wanted = behind.map(describePod).toSorted();
    const whole = endpoints.find((one) => one.metadata.name === metadata.name);
    const ready = wanted.filter((line) => line.endsWith(" ready") && !line.endsWith(" not ready"));
    const gathered = (whole?.subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(describeAddress)).toSorted();
    if (gathered.join() !== ready.join())
      return [
        `service ${metadata.name} has in its Endpoints ${gathered.join(", ")}, its pods are ${wanted.join(", ")}`,
      ];
    if (own.length > 0 && told.join() === wanted.join()) return [];
    const said = own.length === 0 ? "has no slice" : `has the endpoints ${told.join(", ")}`;
    return [`service ${metadata.name} ${said}, its pods are ${wanted.join(", ")}`];
  });
}

function isServed(pod: Pod, nodes: ReadonlySet<string | undefined>): boolean {
  return !isPodTerminal(pod) && (pod.status?.podIPs ?? []).length > 0 && nodes.has(pod.spec?.nodeName);
}

function describePod(pod: Pod): string {
  const { metadata, status } = pod;
  const ready = isReady(pod) && metadata.deletionTimestamp === undefined;
  return `${metadata.name} at ${status?.podIP} ${ready ? "ready" : "not ready"}`;
}

function describeEndpoint({ addresses, conditions, targetRef }: Endpoint): string {
  return `${targetRef?.name} at ${addresses.join()} ${conditions?.ready === true ? "ready" : "not ready"}`;
}

function describeAddress({ ip, targetRef }: EndpointAddress): string {
  return `${targetRef?.name} at ${ip} ready`;
}
