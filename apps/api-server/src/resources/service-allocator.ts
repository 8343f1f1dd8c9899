import {
  addressFamily,
  ApiError,
  formatIpv4,
  invalid,
  type Ipv4Range,
  ipv4Number,
  isNodePort,
  needsHealthCheckPort,
  nodePortRange,
  nodePortsField,
  sameJson,
  type Service,
  services,
  type ServiceSpec,
  type ValidationIssue,
} from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";
import type { Entry, Store, StoreReader } from "@kintsugi/store";
import { fieldInvalid } from "../http/refusals.ts";
import { storeKey, storePrefix } from "./keys.ts";
import { foreignAddresses, formatRanges, isTakenByOthers, isUsable, readyRanges } from "./service-ranges.ts";

export interface ServiceAllocatorDeps {
  store: Pick<Store, "list">;
  random: Random;
  nowMs: () => number;
}

/** Random tries before the range is searched from end to end. */
const randomTriesMax = 16;
/** Time for which an allocated address counts as used before its Service has to be stored. */
const reservedMs = 60_000;

interface Reservation {
  /** The store key of the Service. A second try of its write replaces the first. */
  owner: string;
  untilMs: number;
}

/**
 * Another Service got the address or port while the write waited. A retry finds a free address or
 * port.
 */
export class AllocationLost extends ApiError {}

/**
 * Allocates to each Service an address of the ready ServiceCIDRs, and node ports where it requests
 * them. The addresses in use are read from the Services, and from the IPAddresses that clients
 * created.
 */
export class ServiceAllocator {
  readonly #deps: ServiceAllocatorDeps;
  /**
   * Addresses that are allocated to Services whose write is in progress; at most as many as
   * requests in flight.
   */
  readonly #reserved = new Map<string, Reservation>();

  constructor(deps: ServiceAllocatorDeps) {
    this.#deps = deps;
  }

  /**
   * Completes a Service. The Service keeps the addresses and ports of `before`.
   * @throws ApiError when no address or port is free, or the requested address or port is in use,
   * or this cluster does not have the address family.
   */
  allocate(service: Service, before?: Service): void {
    const { spec } = service;
    if (spec === undefined) return;
    const issues = familyIssues(spec, before?.spec);
    if (issues.length > 0) throw invalid(services, service.metadata.name ?? "", issues);
    const owner = keyOf(service);
    const taken = this.#taken(owner);
    const own = new Set(ownedBy(before));
    for (const value of own) taken.delete(value);
    if (spec.type !== "ExternalName" && spec.clusterIP !== "None") {
      this.#allocateAddress(service, taken, { owner, own: before?.spec?.clusterIP ?? "" });
    }
    if (spec.type === "NodePort" || spec.type === "LoadBalancer") this.#allocatePorts(service, { taken, own, owner });
  }

  /**
   * Checks a Service where its write is decided. Other servers reserve addresses of their own, so
   * only the stored Services and the Services of the same batch count.
   */
  judge(service: Service, reader: Pick<StoreReader, "written" | "find">): ApiError | undefined {
    const key = keyOf(service);
    const others = this.#stored(reader).filter((entry) => entry.key !== key);
    const taken = new Set(others.flatMap(valuesOf));
    const { type, clusterIP = "", ports = [], healthCheckNodePort = 0 } = service.spec ?? {};
    const isOthers = addressFamily(clusterIP) !== undefined && isTakenByOthers(reader, clusterIP);
    if (type !== "ExternalName" && (taken.has(clusterIP) || isOthers)) {
      return lost("spec.clusterIPs", `failed to allocate IP ${clusterIP}: ${allocatedText("IP")}`, service);
    }
    const isTaken = (port: number) => port !== 0 && taken.has(String(port));
    if (isTaken(healthCheckNodePort)) return lost("spec.healthCheckNodePort", allocatedText("port"), service);
    if (!ports.some(({ nodePort = 0 }) => isTaken(nodePort))) return undefined;
    return lost("spec.ports.nodePort", allocatedText("port"), service);
  }

  /** All Services, including Services of the batch that is being formed. */
  #stored(reader: Pick<StoreReader, "written">): Entry[] {
    const prefix = storePrefix(services, "");
    const stored = new Map(this.#deps.store.list(prefix).entries.map((entry) => [entry.key, entry]));
    for (const { type, entry } of reader.written()) {
      if (!entry.key.startsWith(prefix)) continue;
      if (type === "put") stored.set(entry.key, entry);
      else stored.delete(entry.key);
    }
    return [...stored.values()];
  }

  /** Checks an IPAddress that a client creates, because a Service may already have the address. */
  judgeAddress(address: string, reader: Pick<StoreReader, "written">): ApiError | undefined {
    if (!this.#stored(reader).some((entry) => valuesOf(entry).includes(address))) return undefined;
    return new ApiError("AlreadyExists", `ipaddresses.networking.k8s.io "${address}" already exists`);
  }

  #allocateAddress(service: Service, taken: ReadonlySet<string>, { owner, own }: { owner: string; own: string }): void {
    const { spec } = service;
    if (spec === undefined) return;
    const ranges = readyRanges(this.#deps.store);
    const asked = spec.clusterIP ?? "";
    const address = asked === "" ? this.#freeAddress(ranges, taken) : asked;
    // The Service keeps an address of a range that is being deleted or no longer exists.
    const isOutside = asked !== "" && asked !== own && !isUsable(ranges, ipv4Number(asked) ?? -1);
    if (isOutside || (asked !== "" && taken.has(asked))) {
      const why = isOutside
        ? `the provided IP (${asked}) is not in the valid range. The range of valid IPs is ${formatRanges(ranges)}`
        : allocatedText("IP");
      throw refusal("spec.clusterIPs", `failed to allocate IP ${asked}: ${why}`, service);
    }
    this.#reserve(address, owner);
    spec.clusterIP = address;
    spec.clusterIPs = [address];
  }

  #allocatePorts(
    service: Service,
    { taken, own, owner }: { taken: Set<string>; own: ReadonlySet<string>; owner: string },
  ): void {
    const { spec } = service;
    if (spec === undefined) return;
    // A port that the Service had before the rule existed is unchanged.
    const findFault = (port: number) => {
      if (taken.has(String(port))) return allocatedText("port");
      return isNodePort(port) || own.has(String(port)) ? undefined : outsideText;
    };
    // Ports that the client names are unchanged, even if the Service would not get a port
    // otherwise.
    const gives = spec.type === "NodePort" || spec.allocateLoadBalancerNodePorts !== false;
    for (const port of spec.ports ?? []) {
      if ((port.nodePort ?? 0) === 0) {
        if (!gives) continue;
        port.nodePort = this.#freePort(taken);
      } else {
        const fault = findFault(port.nodePort ?? 0);
        if (fault !== undefined) throw refusal("spec.ports.nodePort", fault, service);
      }
      this.#reserve(String(port.nodePort), owner);
    }
    if (!needsHealthCheckPort(spec)) return;
    if ((spec.healthCheckNodePort ?? 0) === 0) spec.healthCheckNodePort = this.#freePort(taken);
    else {
      const fault = findFault(spec.healthCheckNodePort ?? 0);
      if (fault !== undefined) throw refusal("spec.healthCheckNodePort", fault, service);
    }
    this.#reserve(String(spec.healthCheckNodePort), owner);
  }

  #reserve(value: string, owner: string): void {
    this.#reserved.set(value, { owner, untilMs: this.#deps.nowMs() + reservedMs });
  }

  #taken(owner: string): Set<string> {
    const nowMs = this.#deps.nowMs();
    for (const [value, { owner: other, untilMs }] of this.#reserved) {
      if (untilMs <= nowMs || other === owner) this.#reserved.delete(value);
    }
    const taken = new Set(this.#reserved.keys());
    for (const entry of this.#deps.store.list(storePrefix(services, "")).entries) {
      for (const value of valuesOf(entry)) taken.add(value);
    }
    for (const address of foreignAddresses(this.#deps.store)) taken.add(address);
    return taken;
  }

  #freeAddress(ranges: readonly Ipv4Range[], taken: ReadonlySet<string>): string {
    for (const { first, size } of ranges) {
      // Excludes the network's own address and its broadcast address.
      const found = pickFree(this.#deps.random, size - 2, (offset) => !taken.has(formatIpv4(first + 1 + offset)));
      if (found !== undefined) return formatIpv4(first + 1 + found);
    }
    const why = ranges.length === 0 ? "no ServiceCIDR is ready" : "range is full";
    throw new ApiError("InternalError", `failed to allocate a serviceIP: ${why}`);
  }

  #freePort(taken: Set<string>): number {
    const { first, last } = nodePortRange;
    const found = pickFree(this.#deps.random, last - first + 1, (offset) => !taken.has(String(first + offset)));
    if (found === undefined) throw new ApiError("InternalError", "failed to allocate a nodePort: range is full");
    const port = first + found;
    taken.add(String(port));
    return port;
  }
}

/**
 * The faults of a Service's IP families in a cluster whose range is of IPv4 alone, in the words of
 * upstream's allocator (initIPFamilyFields). A headless Service without a selector may name any
 * family, because its owner manages its endpoints. Families that were stored before remain allowed.
 */
function familyIssues(spec: ServiceSpec, before: ServiceSpec | undefined): ValidationIssue[] {
  const { ipFamilies = [], ipFamilyPolicy: policy, selector = {} } = spec;
  if (spec.type === "ExternalName") return [];
  if (spec.clusterIP === "None" && Object.keys(selector).length === 0) return [];
  if (policy === before?.ipFamilyPolicy && sameJson(ipFamilies, before?.ipFamilies ?? [])) return [];
  const singleStack = "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified";
  if (policy === "SingleStack" && ipFamilies.length > 1) return [fieldInvalid(policyField, policy, singleStack)];
  const unknown = ipFamilies.flatMap((family, index) =>
    family === "IPv4" ? [] : [fieldInvalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster")],
  );
  if (policy !== "RequireDualStack") return unknown;
  return [fieldInvalid(policyField, policy, "this cluster is not configured for dual-stack services"), ...unknown];
}

const policyField = "spec.ipFamilyPolicy";

/** The addresses and node ports of a stored Service. */
function valuesOf({ index }: Entry): string[] {
  const address = index.fields?.["spec.clusterIP"] ?? "";
  const ports = (index.fields?.[nodePortsField] ?? "").split(",");
  return [...(address === "None" ? [] : [address]), ...ports].filter((value) => value !== "");
}

function keyOf({ metadata }: Service): string {
  return storeKey(services, metadata.namespace ?? "", metadata.name ?? "");
}

function allocatedText(what: "IP" | "port"): string {
  return `provided ${what} is already allocated`;
}

const outsideText = `provided port is not in the valid range. The range of valid ports is ${nodePortRange.first}-${nodePortRange.last}`;

function ownedBy(service: Service | undefined): string[] {
  const { clusterIP, ports = [], healthCheckNodePort } = service?.spec ?? {};
  const numbers = [...ports.map(({ nodePort }) => nodePort), healthCheckNodePort];
  return [...(clusterIP === undefined ? [] : [clusterIP]), ...numbers.map((port) => String(port ?? ""))];
}

function pickFree(random: Random, size: number, isFree: (offset: number) => boolean): number | undefined {
  if (size <= 0) return undefined;
  for (let tries = 0; tries < randomTriesMax; tries++) {
    const offset = random.integer(size);
    if (isFree(offset)) return offset;
  }
  const start = random.integer(size);
  for (let i = 0; i < size; i++) if (isFree((start + i) % size)) return (start + i) % size;
  return undefined;
}

function refusal(field: string, message: string, service: Service): ApiError {
  return new ApiError("Invalid", ...refusalOf(field, message, service));
}

function lost(field: string, message: string, service: Service): AllocationLost {
  return new AllocationLost("Invalid", ...refusalOf(field, message, service));
}

function refusalOf(field: string, message: string, { metadata }: Service) {
  const { name = "" } = metadata;
  const causes = [{ reason: "FieldValueInvalid", message: `Invalid value: ${message}`, field }];
  const details = { details: { name, kind: "Service", causes } };
  return [`Service ${JSON.stringify(name)} is invalid: ${field}: Invalid value: ${message}`, details] as const;
}
