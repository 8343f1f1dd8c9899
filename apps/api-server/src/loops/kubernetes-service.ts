import {
  endpoints,
  endpointSlices,
  formatIpv4,
  parseIpv4Range,
  sameJson,
  serviceNameLabel,
  services,
} from "@kintsugi/api";
import { ensureObject, serverCall } from "../bootstrap/ensure-objects.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";
import { update } from "../verbs/update.ts";
import type { AdvertisedAddress } from "../server-options.ts";

/** Upstream's interval after which a changed or deleted Endpoints object is restored. */
const intervalMs = 10_000;

export interface KubernetesServiceOptions {
  /** This server's own address. Its port is the port of all servers. */
  readonly advertised: AdvertisedAddress;
  /** Returns the addresses of the servers that currently exist. */
  readonly servers: () => readonly AdvertisedAddress[];
}

const metadata = { namespace: "default", name: "kubernetes" } as const;

/**
 * Maintains the Service `kubernetes` of namespace default until the signal aborts. The Service has
 * the first address of the range, and its endpoints are the existing servers, as in upstream's
 * pkg/controlplane/controller/kubernetesservice.
 */
export async function runKubernetesService(
  context: ServerContext,
  { advertised, servers }: KubernetesServiceOptions,
  signal: AbortSignal,
): Promise<void> {
  let complaint = "";
  while (!signal.aborted) {
    try {
      await ensureObject(context, kubernetesService(advertised, context.options.serviceClusterIpRange));
      for (const object of endpointsFor(advertised, servers())) await ensureAsWanted(context, object);
      complaint = "";
    } catch (error) {
      const { message } = error as Error;
      if (message !== complaint && !signal.aborted)
        context.log.warn("the Service kubernetes differs from its desired state", { error });
      complaint = message;
    }
    await context.clock.sleep(intervalMs, signal).catch(() => {});
  }
}

/** The first address of the range (upstream's ServiceIPRange). */
export function kubernetesServiceIp(range: string): string {
  return formatIpv4(parseIpv4Range(range).first + 1);
}

/**
 * The Service is created once. Later changes by a client are not reverted (upstream's
 * CreateOrUpdateMasterServiceIfNeeded).
 */
export function kubernetesService({ port }: Pick<AdvertisedAddress, "port">, range: string): KubeObject {
  const clusterIP = kubernetesServiceIp(range);
  return {
    apiVersion: "v1",
    kind: services.kind,
    metadata: { ...metadata, labels: { component: "apiserver", provider: "kubernetes" } },
    spec: {
      clusterIP,
      ipFamilyPolicy: "SingleStack",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
      sessionAffinity: "None",
      type: "ClusterIP",
    },
  };
}

/** Kinds that have their fields next to `metadata`, and neither spec nor status. */
type Endpointed = KubeObject & Record<string, unknown>;

function endpointsFor({ port }: AdvertisedAddress, servers: readonly AdvertisedAddress[]): Endpointed[] {
  const ports = [{ name: "https", port, protocol: "TCP" }];
  // Endpoints of one Service share their ports.
  const addresses = servers.filter((server) => server.port === port).map(({ address }) => address);
  return [
    {
      apiVersion: "v1",
      kind: endpoints.kind,
      metadata: { ...metadata, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
      subsets: addresses.length === 0 ? [] : [{ addresses: addresses.map((ip) => ({ ip })), ports }],
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: endpointSlices.kind,
      metadata: { ...metadata, labels: { [serviceNameLabel]: metadata.name } },
      addressType: "IPv4",
      endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
      ports,
    },
  ];
}

async function ensureAsWanted(context: ServerContext, wanted: Endpointed): Promise<void> {
  const resource = context.registry.findByKind(wanted.apiVersion ?? "", wanted.kind ?? "");
  const entry = resource && context.store.find(storeKey(resource.type, metadata.namespace, metadata.name));
  if (resource === undefined || entry === undefined) return await ensureObject(context, wanted);
  const current = decodeEntry(entry) as Endpointed;
  const labelled = sameJson(current.metadata.labels, wanted.metadata.labels);
  const { metadata: _, ...rest } = wanted;
  if (labelled && Object.entries(rest).every(([field, value]) => sameJson(current[field], value))) return;
  const next = { ...current, ...rest, metadata: { ...current.metadata, labels: wanted.metadata.labels } };
  await update(context, serverCall(context, resource, { method: "PUT", object: next }));
}
