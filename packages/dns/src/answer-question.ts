import { isIPv4 } from "node:net";
import type { EndpointPort, Service } from "@kintsugi/api";
import { Records, type ResourceRecord, schemaVersion, type ZoneOptions } from "./records.ts";
import { clusterIpsOf, type NamedEndpoint, type ServiceDirectory } from "./service-directory.ts";

// The names of a cluster, using as examples the Service `web` with an address, and `db` without
// one, in the namespace `shop`:
//
//   web.shop.svc.cluster.local              A      10.96.3.4, the Service's address
//   _http._tcp.web.shop.svc.cluster.local   SRV    its port http
//   db.shop.svc.cluster.local               A      the address of each ready endpoint
//   db-0.db.shop.svc.cluster.local          A      of the endpoint with the hostname db-0;
//                                                  10-64-1-2.db… without a hostname
//   _sql._tcp.db.shop.svc.cluster.local     SRV    each ready endpoint's port sql
//   outside.shop.svc.cluster.local          CNAME  the externalName of a Service of that type
//   10-64-1-2.shop.pod.cluster.local        A      10.64.1.2, even without such a pod
//   4.3.96.10.in-addr.arpa                  PTR    web.shop.svc.cluster.local
//   kube-dns.kube-system.svc.cluster.local  A      this server, if there is no such Service:
//                                                  proxies in pods are configured with that name
//                                                  (nginx's `resolver`)
//
// A name that exists and has no record of the requested type is answered with an empty answer. musl
// needs this answer for AAAA, because musl treats a name that does not exist as the answer about A
// as well.

export interface Question {
  /** The name of the question, without the dot at its end. */
  readonly name: string;
  readonly type: string;
}

export type Answer =
  | { kind: "found"; records: readonly ResourceRecord[]; additionals: readonly ResourceRecord[] }
  /**
   * The name exists but has no record of that type; or (`exists: false`) the name does not exist.
   */
  | { kind: "nothing"; exists: boolean; authorities: readonly ResourceRecord[] }
  /** An alias of another name, whose records the client also needs. */
  | { kind: "alias"; record: ResourceRecord; target: string }
  /** The name does not belong to the cluster, so other servers have to be queried. */
  | { kind: "elsewhere" };

/** Answers a question from the cluster's objects. `directory` must be synced. */
export function answerQuestion(question: Question, directory: ServiceDirectory, zone: ZoneOptions): Answer {
  const name = question.name.toLowerCase();
  const records = new Records(zone);
  if (name.endsWith(reverseSuffix)) return reverseAnswer(question, { name, directory, zone, records });
  const below = labelsBelow(name, zone.domain);
  if (below === undefined) return { kind: "elsewhere" };
  const found = lookUp(below, { directory, zone, records, asked: question.name, type: question.type });
  if (found === undefined) return { kind: "nothing", exists: false, authorities: [records.soa()] };
  if (found.alias !== undefined && question.type !== "SRV")
    return { kind: "alias", record: records.cname(question.name, found.alias), target: found.alias };
  const isAsked = ({ type }: ResourceRecord) => question.type === "ANY" || type === question.type;
  const matching = found.records.filter(isAsked);
  if (matching.length === 0) return { kind: "nothing", exists: true, authorities: [records.soa()] };
  return { kind: "found", records: matching, additionals: question.type === "SRV" ? (found.additionals ?? []) : [] };
}

const reverseSuffix = ".in-addr.arpa";

/** The question in its original spelling. */
interface Asked {
  asked: string;
  type: string;
}

interface Context {
  directory: ServiceDirectory;
  zone: ZoneOptions;
  records: Records;
}

/** All records of a name. */
interface Found {
  records: ResourceRecord[];
  /**
   * Records that accompany SRV records, so that clients do not need a second query for the
   * addresses.
   */
  additionals?: ResourceRecord[];
  alias?: string;
}

const nameOnly: Found = { records: [] };

/** The labels before the domain, the last first; undefined for a name outside of the domain. */
function labelsBelow(name: string, domain: string): string[] | undefined {
  if (name === domain) return [];
  return name.endsWith(`.${domain}`)
    ? name
        .slice(0, -domain.length - 1)
        .split(".")
        .toReversed()
    : undefined;
}

function lookUp(labels: readonly string[], context: Context & Asked): Found | undefined {
  const { records, asked, directory, zone } = context;
  const [kind, namespace, name, ...before] = labels;
  const servers = () => ({ records: records.a(asked, zone.servers) });
  if (kind === undefined) return { records: [records.ns(), records.soa()] };
  if (labels.length === 1 && kind === "dns-version") return { records: [records.txt(asked, schemaVersion)] };
  if (labels.length === 1) return ["svc", "pod", "dns"].includes(kind) ? nameOnly : undefined;
  if (kind === "dns") return labels.join(".") === "dns.ns" ? servers() : undefined;
  if ((kind !== "svc" && kind !== "pod") || namespace === undefined) return undefined;
  if (name === undefined) return directory.hasNamespace(namespace) ? nameOnly : undefined;
  if (kind === "pod") return before.length === 0 ? podRecords(name, context) : undefined;
  const service = directory.find(namespace, name);
  if (service !== undefined) return serviceRecords(service, before, context);
  return labels.join(".") === "svc.kube-system.kube-dns" ? servers() : undefined;
}

/**
 * "10-64-1-2": supported for clients that make such names; any address is answered, as kubeadm's
 * CoreDNS does (`pods insecure`).
 */
function podRecords(label: string, { records, asked }: Context & Asked): Found | undefined {
  const address = label.replaceAll("-", ".");
  return isIPv4(address) ? { records: records.a(asked, [address]) } : undefined;
}

/**
 * `labels` precede the Service's name, the nearest first: empty, a hostname, or protocol and port.
 */
function serviceRecords(service: Service, labels: readonly string[], context: Context & Asked): Found | undefined {
  const { records, asked, directory, type } = context;
  const { spec = {} } = service;
  if (spec.type === "ExternalName")
    return labels.length === 0 ? { records: [], alias: withoutDot(spec.externalName ?? "") } : undefined;
  const isHeadless = spec.clusterIP === "None";
  const endpoints = isHeadless ? directory.readyEndpoints(service) : [];
  const targets = () => (isHeadless ? endpointTargets(endpoints, context) : [clusterTarget(service, context)]);
  const addresses = isHeadless ? endpoints.map(({ address }) => address) : clusterIpsOf(service);
  if (labels.length === 0) {
    const own = records.a(asked, addresses);
    // Few clients query the ports of all endpoints, but every client queries the addresses.
    if (type !== "SRV" && type !== "ANY") return { records: own };
    const anyPort = srvRecords(targets(), { asked, records });
    return { records: [...own, ...anyPort.records], additionals: anyPort.additionals };
  }
  if (labels.length === 1) {
    const own = endpoints.filter(({ hostname }) => hostname === labels[0]).map(({ address }) => address);
    return own.length > 0 ? { records: records.a(asked, own) } : protocolOnly(labels[0], targets());
  }
  const [protocol, port] = labels;
  if (labels.length > 2) return undefined;
  const chosen = targets().map((target) => ({
    ...target,
    ports: target.ports.filter((each) => `_${each.name}` === port && `_${each.protocol}` === protocol),
  }));
  return chosen.every(({ ports }) => ports.length === 0) ? undefined : srvRecords(chosen, { asked, records });
}

/** "_tcp.web…" has names below it, so it exists. */
function protocolOnly(label: string | undefined, targets: readonly Target[]): Found | undefined {
  const isThere = targets.some(({ ports }) => ports.some(({ protocol }) => `_${protocol}` === label));
  return isThere ? nameOnly : undefined;
}

/** The targets that an SRV record can name. */
interface Target {
  name: string;
  addresses: readonly string[];
  ports: readonly { name: string; protocol: string; port: number }[];
}

function clusterTarget(service: Service, { zone }: Context): Target {
  const ports = (service.spec?.ports ?? []).map(portOf);
  return { name: nameOf(service.metadata, zone), addresses: clusterIpsOf(service), ports };
}

function endpointTargets(endpoints: readonly NamedEndpoint[], { zone }: Context): Target[] {
  return endpoints.map((endpoint) => ({
    name: endpointName(endpoint, zone),
    addresses: [endpoint.address],
    ports: endpoint.ports.map(portOf),
  }));
}

function portOf({ name = "", protocol = "TCP", port }: Partial<EndpointPort>): Target["ports"][number] {
  return { name, protocol: protocol.toLowerCase(), port: port ?? 0 };
}

/** Ports without a name do not have a record (specification, 2.3.2). */
function srvRecords(
  targets: readonly Target[],
  { asked, records }: { asked: string; records: Records },
): Required<Pick<Found, "records" | "additionals">> {
  const named = targets.flatMap(({ name, ports }) =>
    ports.filter((each) => each.name !== "" && each.port > 0).map(({ port }) => ({ target: name, port })),
  );
  const weight = Math.max(1, Math.floor(100 / named.length));
  const used = new Set(named.map(({ target }) => target));
  return {
    records: named.map((each) => records.srv(asked, { ...each, weight })),
    additionals: targets
      .filter(({ name }) => used.has(name))
      .flatMap(({ name, addresses }) => records.a(name, addresses)),
  };
}

function reverseAnswer(question: Question, { name, directory, zone, records }: Context & { name: string }): Answer {
  const address = name.slice(0, -reverseSuffix.length).split(".").toReversed().join(".");
  const services = directory.withAddress(address).map(({ metadata }) => nameOf(metadata, zone));
  const endpoints = directory.endpointsAt(address).map((endpoint) => endpointName(endpoint, zone));
  const names = [...new Set(services.length > 0 ? services : endpoints)];
  if (names.length === 0) return { kind: "elsewhere" };
  if (question.type !== "PTR" && question.type !== "ANY")
    return { kind: "nothing", exists: true, authorities: [records.soa()] };
  return { kind: "found", records: names.map((target) => records.ptr(question.name, target)), additionals: [] };
}

function nameOf({ namespace, name }: Service["metadata"], { domain }: ZoneOptions): string {
  return `${name}.${namespace}.svc.${domain}`;
}

function endpointName({ hostname, service, namespace }: NamedEndpoint, zone: ZoneOptions): string {
  return `${hostname}.${nameOf({ namespace, name: service }, zone)}`;
}

function withoutDot(name: string): string {
  return name.replace(/\.$/, "");
}
