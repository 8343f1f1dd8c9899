import { type Service, type ServicePort, type ServiceSpec, trafficDistributions } from "./service.ts";
import { checkLabel1123, checkPortNumber, checkQualifiedName, checkSubdomain1123 } from "../../../values/names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { addressFamily, checkAddress, checkCidr, checkNotSpecial } from "../../../values/ip-address.ts";
import { validateLabels } from "../../../validation/labels.ts";
import { needsHealthCheckPort } from "./service-defaults.ts";
import { validatePort } from "../pod/validation/probes.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const protocols = ["SCTP", "TCP", "UDP"];
const trafficPolicies = ["Cluster", "Local"];
const ipFamilies = ["IPv4", "IPv6"];
const ipFamilyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** A day, because a longer time would pin clients to backends forever. */
const affinitySecondsMax = 86_400;

export function validateService({ spec = {} }: Service, faults: Faults): void {
  const { ports = [], type } = spec;
  const headless = isHeadless(spec);
  if (ports.length === 0 && !headless && type !== "ExternalName") faults.required("spec.ports");
  if (headless && (type === "LoadBalancer" || type === "NodePort")) {
    faults.invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`);
  }
  if (type === "ExternalName") validateExternalName(spec, faults);
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    validateServicePort(port, { path: `spec.ports[${index}]`, many: ports.length > 1, headless, names }, faults);
  }
  validateUniquePorts(spec, faults);
  validateLabels(spec.selector, "spec.selector", faults);
  validateAffinity(spec, faults);
  validateAddresses(spec, faults);
  faults.oneOf("spec.type", type, types);
  validatePolicies(spec, faults);
  validateBalancer(spec, faults);
}

const onlyWithBalancer = "may only be used when `type` is 'LoadBalancer'";

function validateBalancer(spec: ServiceSpec, faults: Faults): void {
  const { type, healthCheckNodePort = 0, loadBalancerClass, allocateLoadBalancerNodePorts } = spec;
  if (needsHealthCheckPort(spec)) {
    if (healthCheckNodePort !== 0)
      faults.invalidEach("spec.healthCheckNodePort", healthCheckNodePort, checkPortNumber(healthCheckNodePort));
  } else if (healthCheckNodePort !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    faults.invalid("spec.healthCheckNodePort", healthCheckNodePort, detail);
  }
  if (type === "LoadBalancer") {
    if (allocateLoadBalancerNodePorts === undefined) faults.required("spec.allocateLoadBalancerNodePorts");
    if (loadBalancerClass !== undefined)
      faults.invalidEach("spec.loadBalancerClass", loadBalancerClass, checkQualifiedName(loadBalancerClass));
    return;
  }
  if (allocateLoadBalancerNodePorts !== undefined)
    faults.forbidden("spec.allocateLoadBalancerNodePorts", onlyWithBalancer);
  if (loadBalancerClass !== undefined) faults.forbidden("spec.loadBalancerClass", onlyWithBalancer);
}

function validateBalancerUpdate(next: ServiceSpec, previous: ServiceSpec, faults: Faults): void {
  if (next.type === "LoadBalancer" && previous.type === "LoadBalancer") {
    if (next.loadBalancerClass !== previous.loadBalancerClass)
      faults.invalid("spec.loadBalancerClass", next.loadBalancerClass ?? null, "may not change once set");
  }
  if (!needsHealthCheckPort(next) || !needsHealthCheckPort(previous)) return;
  if (next.healthCheckNodePort !== previous.healthCheckNodePort && (previous.healthCheckNodePort ?? 0) !== 0)
    faults.forbidden("spec.healthCheckNodePort", "field is immutable");
}

export function validateServiceUpdate(after: Service, before: Service, faults: Faults): void {
  const [next, previous] = [after.spec ?? {}, before.spec ?? {}];
  validateBalancerUpdate(next, previous, faults);
  const [nextType, previousType] = [next.type, previous.type];
  // A Service without addresses of its own may get addresses, and lose them.
  if (nextType === "ExternalName" || previousType === "ExternalName") return;
  const [address, old] = [next.clusterIP ?? "", previous.clusterIP ?? ""];
  if (old === "" || address === old) return;
  if (address === "") faults.invalid("spec.clusterIPs[0]", next.clusterIPs ?? [], "primary clusterIP can not be unset");
  else faults.invalid("spec.clusterIPs[0]", next.clusterIPs ?? [], "may not change once set");
}

function isHeadless(spec: ServiceSpec): boolean {
  return spec.clusterIP === "None" || (spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === "None");
}

function validateExternalName(spec: ServiceSpec, faults: Faults): void {
  const detail = "may not be set for ExternalName services";
  if ((spec.clusterIPs ?? []).length > 0) faults.forbidden("spec.clusterIPs", detail);
  if ((spec.ipFamilies ?? []).length > 0) faults.forbidden("spec.ipFamilies", detail);
  if (spec.ipFamilyPolicy !== undefined) faults.forbidden("spec.ipFamilyPolicy", detail);
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  if (name === "") faults.required("spec.externalName");
  else faults.invalidEach("spec.externalName", name, checkSubdomain1123(name));
}

interface PortPlace {
  path: string;
  many: boolean;
  headless: boolean;
  names: Set<string>;
}

function validateServicePort(port: ServicePort, at: PortPlace, faults: Faults): void {
  const { path } = at;
  const { name = "", targetPort } = port;
  if (at.many && name === "") faults.required(`${path}.name`);
  else if (name !== "") {
    faults.invalidEach(`${path}.name`, name, checkLabel1123(name));
    if (at.names.has(name)) faults.duplicate(`${path}.name`, name);
    at.names.add(name);
  }
  faults.invalidEach(`${path}.port`, port.port, checkPortNumber(port.port));
  faults.oneOf(`${path}.protocol`, port.protocol, protocols);
  if (targetPort !== undefined) validatePort(targetPort, `${path}.targetPort`, faults);
  if (at.headless && typeof targetPort === "number" && targetPort !== port.port) {
    // Upstream accepts different ports for compatibility; a headless Service resolves to the pods'
    // own ports.
    return;
  }
  const { nodePort = 0 } = port;
  if (nodePort !== 0) faults.invalidEach(`${path}.nodePort`, nodePort, checkPortNumber(nodePort));
}

function validateUniquePorts({ type, ports = [] }: ServiceSpec, faults: Faults): void {
  const taken = new Set<string>();
  for (const [index, { protocol, port, nodePort = 0 }] of ports.entries()) {
    const path = `spec.ports[${index}]`;
    if (type === "ClusterIP" && nodePort !== 0) {
      faults.forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'");
    }
    if (nodePort !== 0 && taken.has(`node ${protocol} ${nodePort}`)) faults.duplicate(`${path}.nodePort`, nodePort);
    if (taken.has(`${protocol} ${port}`)) faults.duplicate(path, { protocol, port });
    taken.add(`node ${protocol} ${nodePort}`).add(`${protocol} ${port}`);
  }
}

function validateAffinity({ sessionAffinity, sessionAffinityConfig }: ServiceSpec, faults: Faults): void {
  faults.oneOf("spec.sessionAffinity", sessionAffinity, ["ClientIP", "None"]);
  const path = "spec.sessionAffinityConfig";
  if (sessionAffinity === "None" && sessionAffinityConfig !== undefined) {
    faults.forbidden(path, "must not be set when session affinity is None");
  }
  if (sessionAffinity !== "ClientIP") return;
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const at = `${path}.clientIP.timeoutSeconds`;
  if (seconds === undefined) faults.required(at, "when session affinity type is ClientIP");
  else if (seconds <= 0 || seconds > affinitySecondsMax) {
    faults.invalid(at, seconds, `must be greater than 0 and less than ${affinitySecondsMax}`);
  }
}

function validateAddresses(spec: ServiceSpec, faults: Faults): void {
  const { clusterIP = "", clusterIPs = [], externalIPs = [], loadBalancerSourceRanges = [] } = spec;
  if (clusterIPs.length > 0 && clusterIP !== clusterIPs[0]) {
    faults.invalid("spec.clusterIPs", clusterIPs, "first value must match `clusterIP`");
  }
  if (clusterIPs.length > 2) faults.invalid("spec.clusterIPs", clusterIPs, "may only hold up to 2 values");
  for (const [index, address] of clusterIPs.entries()) {
    const path = `spec.clusterIPs[${index}]`;
    if (address === "None") {
      if (clusterIPs.length > 1) faults.invalid(path, address, "'None' must be the first and only value");
    } else if (address !== "") faults.invalidEach(path, address, checkAddress(address));
    if (clusterIPs.indexOf(address) !== index) faults.duplicate(path, address);
  }
  const families = new Set(clusterIPs.map(addressFamily));
  if (clusterIPs.length === 2 && families.size < 2) {
    faults.invalid("spec.clusterIPs", clusterIPs, "may specify no more than one IP for each IP family");
  }
  for (const [index, address] of externalIPs.entries()) {
    const problems = checkAddress(address);
    faults.invalidEach(
      `spec.externalIPs[${index}]`,
      address,
      problems.length > 0 ? problems : checkNotSpecial(address),
    );
  }
  for (const [index, range] of loadBalancerSourceRanges.entries()) {
    faults.invalidEach(`spec.LoadBalancerSourceRanges[${index}]`, range, checkCidr(range.trim()));
  }
  if (loadBalancerSourceRanges.length > 0 && spec.type !== "LoadBalancer") {
    faults.forbidden("spec.LoadBalancerSourceRanges", "may only be used when `type` is 'LoadBalancer'");
  }
}

function validatePolicies(spec: ServiceSpec, faults: Faults): void {
  const { internalTrafficPolicy, externalTrafficPolicy, ipFamilyPolicy, trafficDistribution } = spec;
  if (trafficDistribution !== undefined && !trafficDistributions.includes(trafficDistribution))
    faults.notSupported("spec.trafficDistribution", trafficDistribution, trafficDistributions);
  if (internalTrafficPolicy !== undefined && !trafficPolicies.includes(internalTrafficPolicy)) {
    faults.notSupported("spec.internalTrafficPolicy", internalTrafficPolicy, trafficPolicies);
  }
  if (externalTrafficPolicy !== undefined && externalTrafficPolicy !== "") {
    const reachable = spec.type === "LoadBalancer" || spec.type === "NodePort" || (spec.externalIPs ?? []).length > 0;
    const path = "spec.externalTrafficPolicy";
    if (!reachable) faults.invalid(path, externalTrafficPolicy, "may only be set for externally-accessible services");
    else if (!trafficPolicies.includes(externalTrafficPolicy)) {
      faults.notSupported(path, externalTrafficPolicy, trafficPolicies);
    }
  }
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    if (!ipFamilies.includes(family)) faults.notSupported(`spec.ipFamilies[${index}]`, family, ipFamilies);
    if (spec.ipFamilies?.indexOf(family) !== index) faults.duplicate(`spec.ipFamilies[${index}]`, family);
  }
  if (ipFamilyPolicy !== undefined && !ipFamilyPolicies.includes(ipFamilyPolicy)) {
    faults.notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, ipFamilyPolicies);
  }
}
