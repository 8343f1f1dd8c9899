import { BlockList, isIP } from "node:net";
import { checkSubdomain1123, type Node, parseTimestamp, type Pod, type Service } from "@kintsugi/api";
import type { SigningRequest } from "@kintsugi/pki";

/** All objects in the cluster with a name or an address that a kubelet could impersonate. */
export interface ClusterNames {
  /** The Node of the kubelet that requests the certificate. */
  readonly node: Node | undefined;
  readonly nodes: readonly Node[];
  readonly services: readonly Service[];
  readonly pods: readonly Pod[];
  /** Names and addresses in the API server's own certificate. */
  readonly apiServer: readonly string[];
  /** "10.96.0.0/16", if it is known. */
  readonly serviceRange?: string | undefined;
}

/**
 * No machine of a cluster has one of these addresses, or each machine uses the address for itself.
 */
const special = rangesList([
  "0.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/3",
  "::/128",
  "::1/128",
  "fe80::/10",
  "ff00::/8",
]);

/** Pods reach the API server by these names, even if its certificate does not contain them. */
const apiServerNames = ["localhost", "kubernetes", "kubernetes.default"];

/**
 * Explains why a kubelet's serving certificate needs a human's approval. Kubelets and pods accept
 * the same authority for the API server, so a certificate may contain only names and addresses that
 * are known to belong to the node alone.
 */
export function servingFault(asked: SigningRequest, cluster: ClusterNames): string | undefined {
  const { node } = cluster;
  const known = (node?.status?.addresses ?? []).map(({ address }) => canonical(address));
  if (node === undefined) return "there is no Node of that name yet";
  if (known.length === 0) return "its Node has no addresses yet";
  return (
    firstOf(asked.dnsNames, (name) => dnsFault(canonical(name), { known, node, cluster })) ??
    firstOf(asked.ipAddresses, (address) => addressFault(canonical(address), { known, node, cluster }))
  );
}

interface Around {
  readonly known: readonly string[];
  readonly node: Node;
  readonly cluster: ClusterNames;
}

function dnsFault(name: string, { known, node, cluster }: Around): string | undefined {
  const api = [...apiServerNames, ...cluster.apiServer.map(canonical)];
  if (api.includes(name)) return `${name} is a name of the API server`;
  if (name.endsWith(".svc") || name.includes(".svc.") || isInDomain(name, api)) return `${name} is a name of a Service`;
  const service = cluster.services.find((each) => isNameOf(each, name) && !isYoungerThan(each, node));
  if (service !== undefined) return `${name} is the Service ${service.metadata.namespace}/${service.metadata.name}`;
  const other = otherNodeWith(name, node, cluster);
  if (other !== undefined) return `${name} is a name of node ${other}`;
  const isOwn = name === node.metadata.name || known.includes(name);
  if (!isOwn || checkSubdomain1123(name).length > 0) return `${name} is not a name of the node`;
  return undefined;
}

/**
 * The API server's certificate contains the domain of all Services:
 * kubernetes.default.svc.<domain>.
 */
function isInDomain(name: string, api: readonly string[]): boolean {
  const prefix = "kubernetes.default.svc.";
  const domains = api.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
  return [...domains, "cluster.local"].some((domain) => name === domain || name.endsWith(`.${domain}`));
}

/**
 * Compares with the two forms that pods may use: the name within its namespace, and the name from
 * other namespaces.
 */
function isNameOf({ metadata }: Service, name: string): boolean {
  return name === metadata.name || name === `${metadata.name}.${metadata.namespace}`;
}

/**
 * A Service with the name of a node does not block the node's name, because its author could
 * otherwise prevent the node from joining.
 */
function isYoungerThan(service: Service, node: Node): boolean {
  const [made, registered] = [service, node].map(({ metadata }) => metadata.creationTimestamp ?? "");
  return made !== "" && registered !== "" && parseTimestamp(made ?? "") > parseTimestamp(registered ?? "");
}

function addressFault(address: string, { known, node, cluster }: Around): string | undefined {
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (isIP(address) === 0 || special.check(address, family)) return `${address} is not the address of a machine`;
  if (cluster.apiServer.map(canonical).includes(address)) return `${address} is an address of the API server`;
  const service = cluster.services.find((each) => addressesOf(each).includes(address));
  if (service !== undefined)
    return `${address} is an address of the Service ${service.metadata.namespace}/${service.metadata.name}`;
  if (isWithin(address, cluster.serviceRange)) return `${address} is in the range of Services`;
  const owner = cluster.nodes.find(({ spec }) => podRangesOf(spec).some((range) => isWithin(address, range)));
  if (owner !== undefined) return `${address} is in the range of the pods of node ${owner.metadata.name}`;
  const pod = cluster.pods.find((each) => !each.spec?.hostNetwork && podAddressesOf(each).includes(address));
  if (pod !== undefined) return `${address} is an address of the pod ${pod.metadata.namespace}/${pod.metadata.name}`;
  const other = otherNodeWith(address, node, cluster);
  if (other !== undefined) return `${address} is an address of node ${other}`;
  return known.includes(address) ? undefined : `${address} is not an address of the node`;
}

/** The name of another node that has this name or address. */
function otherNodeWith(text: string, node: Node, { nodes }: ClusterNames): string | undefined {
  const has = ({ metadata, status }: Node) =>
    metadata.name === text || (status?.addresses ?? []).some(({ address }) => canonical(address) === text);
  return nodes.find((each) => each.metadata.name !== node.metadata.name && has(each))?.metadata.name;
}

/**
 * Lists the addresses that the API server allocates. External addresses are left out because the
 * owner of a Service chooses them, and could prevent a machine from joining.
 */
function addressesOf({ spec }: Service): string[] {
  return [spec?.clusterIP ?? "", ...(spec?.clusterIPs ?? [])].filter((each) => isIP(each) !== 0).map(canonical);
}

function podRangesOf(spec: Node["spec"]): readonly string[] {
  return spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
}

function podAddressesOf({ status }: Pod): string[] {
  return [status?.podIP ?? "", ...(status?.podIPs ?? []).map(({ ip }) => ip)].map(canonical);
}

function isWithin(address: string, range: string | undefined): boolean {
  if (range === undefined) return false;
  return rangesList([range]).check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

function rangesList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits = ""] = range.split("/");
    const family = isIP(address);
    // Text that is not a valid range does not contain addresses.
    const isRange = family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32);
    if (isRange) list.addSubnet(address, Number(bits), family === 6 ? "ipv6" : "ipv4");
  }
  return list;
}

/**
 * Normalizes each name and address: lower case, no final dot, IPv6 compressed, and IPv4-mapped IPv6
 * as IPv4.
 */
function canonical(text: string): string {
  if (isIP(text) !== 6) return text.toLowerCase().replace(/\.$/, "");
  const { hostname } = new URL(`http://[${text}]`);
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname);
  if (mapped === null) return hostname.slice(1, -1);
  const [high, low] = [mapped[1], mapped[2]].map((part) => Number.parseInt(part ?? "", 16)) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function firstOf(values: readonly string[], faultOf: (value: string) => string | undefined): string | undefined {
  for (const value of values) {
    const fault = faultOf(value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
