import {
  ApiError,
  formatIpv4,
  invalid,
  type Ipv4Range,
  ipv4Number,
  nodePortsField,
  sameJson,
  type Service,
  services,
  type ServiceSpec,
  type ValidationIssue,
} from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import { fieldInvalid } from "../http/refusals.ts";
import { storePrefix } from "./keys.ts";

export interface ClusterIpDeps {
  store: Pick<Store, "list">;
  random: Random;
  nowMs: () => number;
}

/** Tries by chance before the range is searched from end to end. */
const randomTriesMax = 16;
/** An allocated address counts as taken for this long before its Service has to be stored. */
const reservedMs = 60_000;
const nodePorts = { first: 30_000, size: 2768 } as const;

/**
 * Gives each Service an address of the range, and node ports where it requests them; the addresses
 * in use are read from the Services.
 */
export class ServiceAllocator {
  readonly #deps: ClusterIpDeps;
  readonly #range: Ipv4Range;
  /** Given out to Services that are just being written. */
  readonly #reserved = new Map<string, number>();

  constructor(deps: ClusterIpDeps, range: Ipv4Range) {
    this.#deps = deps;
    this.#range = range;
  }

  /**
   * Completes a Service; addresses and ports that `before` has stay its own.
   * @throws ApiError when nothing is free, or the requested address or port is taken or of a family
   * that this cluster does not have.
   */
  allocate(service: Service, before?: Service): void {
    const { spec } = service;
    if (spec === undefined) return;
    const issues = familyIssues(spec, before?.spec);
    if (issues.length > 0) throw invalid(services, service.metadata.name ?? "", issues);
    const taken = this.#taken();
    for (const own of ownedBy(before)) taken.delete(own);
    if (spec.type !== "ExternalName" && spec.clusterIP !== "None") this.#allocateAddress(service, taken);
    if (spec.type === "NodePort" || spec.type === "LoadBalancer") this.#allocatePorts(service, taken);
  }

  #allocateAddress(service: Service, taken: ReadonlySet<string>): void {
    const { spec } = service;
    if (spec === undefined) return;
    const asked = spec.clusterIP ?? "";
    const address = asked === "" ? this.#freeAddress(taken) : asked;
    if (asked !== "" && (!this.#inRange(asked) || taken.has(asked))) {
      const why = this.#inRange(asked) ? "provided IP is already allocated" : "provided IP is not in the valid range";
      throw refusal("spec.clusterIPs", `failed to allocate IP ${asked}: ${why}`, service);
    }
    this.#reserved.set(address, this.#deps.nowMs() + reservedMs);
    spec.clusterIP = address;
    spec.clusterIPs = [address];
  }

  #allocatePorts(service: Service, taken: Set<string>): void {
    for (const port of service.spec?.ports ?? []) {
      if ((port.nodePort ?? 0) === 0) port.nodePort = this.#freePort(taken);
      else if (taken.has(String(port.nodePort))) {
        throw refusal("spec.ports.nodePort", `provided port is already allocated`, service);
      }
      this.#reserved.set(String(port.nodePort), this.#deps.nowMs() + reservedMs);
    }
  }

  #taken(): Set<string> {
    const nowMs = this.#deps.nowMs();
    for (const [value, untilMs] of this.#reserved) if (untilMs <= nowMs) this.#reserved.delete(value);
    const taken = new Set(this.#reserved.keys());
    for (const { index } of this.#deps.store.list(storePrefix(services, "")).entries) {
      const address = index.fields?.["spec.clusterIP"] ?? "";
      if (address !== "" && address !== "None") taken.add(address);
      for (const port of (index.fields?.[nodePortsField] ?? "").split(",")) if (port !== "") taken.add(port);
    }
    return taken;
  }

  #inRange(text: string): boolean {
    const address = ipv4Number(text);
    return address !== undefined && address > this.#range.first && address < this.#range.first + this.#range.size - 1;
  }

  #freeAddress(taken: ReadonlySet<string>): string {
    const { first, size } = this.#range;
    // Neither the network's own address nor its broadcast address.
    const found = pickFree(this.#deps.random, size - 2, (offset) => !taken.has(formatIpv4(first + 1 + offset)));
    if (found === undefined) throw new ApiError("InternalError", "failed to allocate a serviceIP: range is full");
    return formatIpv4(first + 1 + found);
  }

  #freePort(taken: Set<string>): number {
    const found = pickFree(this.#deps.random, nodePorts.size, (offset) => !taken.has(String(nodePorts.first + offset)));
    if (found === undefined) throw new ApiError("InternalError", "failed to allocate a nodePort: range is full");
    const port = nodePorts.first + found;
    taken.add(String(port));
    return port;
  }
}

/**
 * The faults that keep a Service off a cluster whose range is of IPv4 alone, in the words of
 * upstream's allocator (initIPFamilyFields). A headless Service without a selector may name any
 * family: its endpoints are its owner's. Families that were stored before stay allowed.
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

function ownedBy(service: Service | undefined): string[] {
  const { clusterIP, ports = [] } = service?.spec ?? {};
  return [...(clusterIP === undefined ? [] : [clusterIP]), ...ports.map(({ nodePort }) => String(nodePort ?? ""))];
}

function pickFree(random: Random, size: number, isFree: (offset: number) => boolean): number | undefined {
  for (let tries = 0; tries < randomTriesMax; tries++) {
    const offset = random.integer(size);
    if (isFree(offset)) return offset;
  }
  const start = random.integer(size);
  for (let i = 0; i < size; i++) if (isFree((start + i) % size)) return (start + i) % size;
  return undefined;
}

function refusal(field: string, message: string, service: Service): ApiError {
  const name = service.metadata.name ?? "";
  return new ApiError("Invalid", `Service ${JSON.stringify(name)} is invalid: ${field}: Invalid value: ${message}`, {
    details: {
      name,
      kind: "Service",
      causes: [{ reason: "FieldValueInvalid", message: `Invalid value: ${message}`, field }],
    },
  });
}
