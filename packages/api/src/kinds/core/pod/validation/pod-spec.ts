import type { PodSpec } from "../spec/pod-spec.ts";
import { checkLabel1123, checkSubdomain1123 } from "../../../../values/names.ts";
import type { Faults } from "../../../../validation/faults.ts";
import { checkAddress } from "../../../../values/ip-address.ts";
import { validateLabels } from "../../../../validation/labels.ts";
import { validateAffinity } from "./affinity.ts";
import type { PodContext } from "./container.ts";
import { validateContainers } from "./containers.ts";
import { validateGates, validateResourceClaims, validateSpread, validateTolerations } from "./scheduling.ts";
import { validateHostUsers, validatePodSecurity } from "./security-context.ts";
import { validateEnvFiles } from "./env.ts";
import { validatePodLevelResources } from "./pod-level-resources.ts";
import { validateVolumes } from "./volumes/volumes.ts";

export interface SpecPlace {
  path: string;
  /** "" for templates, because their pods have no names yet. */
  podName: string;
  isTemplate: boolean;
}

/** Validates the rules that pods and pod templates share. */
export function validatePodSpec(spec: PodSpec, at: SpecPlace, faults: Faults): void {
  const { path, podName, isTemplate } = at;
  if (spec.terminationGracePeriodSeconds === undefined) faults.required(`${path}.terminationGracePeriodSeconds`);
  const claims = validateResourceClaims(spec, path, faults);
  const context: PodContext = {
    volumes: validateVolumes(spec.volumes ?? [], { path: `${path}.volumes`, podName }, faults),
    claims,
    restartPolicy: spec.restartPolicy ?? "",
    hostUsers: spec.hostUsers !== false,
    graceSeconds: spec.terminationGracePeriodSeconds,
    isTemplate,
  };
  validateContainers(spec, { ...context, path }, faults);
  validateEnvFiles(spec, path, faults);
  if (spec.hostNetwork === true) validateHostNetworkPorts(spec, at, faults);
  faults.oneOf(`${path}.restartPolicy`, spec.restartPolicy, ["Always", "OnFailure", "Never"]);
  faults.oneOf(`${path}.dnsPolicy`, spec.dnsPolicy, ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]);
  validateLabels(spec.nodeSelector, `${path}.nodeSelector`, faults);
  validatePodSecurity(spec, path, faults);
  validateHostUsers(spec, path, faults);
  if (spec.affinity !== undefined) validateAffinity(spec.affinity, `${path}.affinity`, faults);
  validateDns(spec, path, faults);
  validateGates(spec, path, faults);
  if (spec.topologySpreadConstraints !== undefined) {
    validateSpread(spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`, faults);
  }
  validateNames(spec, path, faults);
  if (spec.activeDeadlineSeconds !== undefined) validateDeadline(spec.activeDeadlineSeconds, path, faults);
  if (spec.tolerations !== undefined) validateTolerations(spec.tolerations, `${path}.tolerations`, faults);
  for (const [index, { ip, hostnames = [] }] of (spec.hostAliases ?? []).entries()) {
    faults.invalidEach(`${path}.hostAliases[${index}].ip`, ip, checkAddress(ip));
    for (const [place, hostname] of hostnames.entries()) {
      faults.invalidEach(`${path}.hostAliases[${index}].hostnames[${place}]`, hostname, checkSubdomain1123(hostname));
    }
  }
  validatePodLevelResources(spec, { path, claims }, faults);
}

function validateHostNetworkPorts(spec: PodSpec, { path, isTemplate }: SpecPlace, faults: Faults): void {
  for (const [index, container] of spec.containers.entries()) {
    for (const [place, { hostPort = 0, containerPort }] of (container.ports ?? []).entries()) {
      if (hostPort === containerPort || (isTemplate && hostPort === 0)) continue;
      const field = `${path}.containers[${index}].ports[${place}].hostPort`;
      faults.invalid(field, hostPort, "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

const secondsMax = 2 ** 31 - 1;

function validateDeadline(seconds: number, path: string, faults: Faults): void {
  if (seconds >= 1 && seconds <= secondsMax) return;
  faults.invalid(`${path}.activeDeadlineSeconds`, seconds, `must be between 1 and ${secondsMax}, inclusive`);
}

/** The kernel's limit of a host name. */
const hostnameBytesMax = 64;

function validateHostnameOverride(spec: PodSpec, path: string, faults: Faults): void {
  const { hostnameOverride: name = "" } = spec;
  const at = `${path}.hostnameOverride`;
  faults.invalidEach(at, name, checkSubdomain1123(name));
  if (name.length > hostnameBytesMax) faults.tooLong(at, hostnameBytesMax);
  if (spec.setHostnameAsFQDN === true) faults.forbidden(at, "may not be specified when setHostnameAsFQDN is true");
  if (spec.hostNetwork === true) faults.forbidden(at, "may not be specified when hostNetwork is true");
}

function validateNames(spec: PodSpec, path: string, faults: Faults): void {
  for (const field of ["serviceAccountName", "nodeName", "priorityClassName"] as const) {
    const name = spec[field] ?? "";
    if (name !== "") faults.invalidEach(`${path}.${field}`, name, checkSubdomain1123(name));
  }
  for (const field of ["hostname", "subdomain"] as const) {
    const name = spec[field] ?? "";
    if (name !== "") faults.invalidEach(`${path}.${field}`, name, checkLabel1123(name));
  }
  if (spec.hostnameOverride !== undefined) validateHostnameOverride(spec, path, faults);
  if (spec.runtimeClassName !== undefined) {
    faults.invalidEach(`${path}.runtimeClassName`, spec.runtimeClassName, checkSubdomain1123(spec.runtimeClassName));
  }
  if (spec.preemptionPolicy !== undefined) {
    faults.oneOf(`${path}.preemptionPolicy`, spec.preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  }
  const os: string | undefined = spec.os?.name;
  if (os === "") faults.required(`${path}.os.name`);
  else if (os !== undefined && os !== "linux" && os !== "windows") {
    faults.notSupported(`${path}.os`, os, ["linux", "windows"]);
  }
}

/** Limits of the C library's resolver. */
const nameserversMax = 3;
const searchPathsMax = 32;
const searchCharactersMax = 2048;

function validateDns({ dnsPolicy, dnsConfig }: PodSpec, path: string, faults: Faults): void {
  const at = `${path}.dnsConfig`;
  if (dnsPolicy === "None" && dnsConfig === undefined) {
    return faults.required(at, "must provide `dnsConfig` when `dnsPolicy` is None");
  }
  if (dnsConfig === undefined) return;
  const { nameservers = [], searches = [], options = [] } = dnsConfig;
  if (dnsPolicy === "None" && nameservers.length === 0) {
    return faults.required(`${at}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None");
  }
  if (nameservers.length > nameserversMax) {
    faults.invalid(`${at}.nameservers`, nameservers, `must not have more than ${nameserversMax} nameservers`);
  }
  for (const [index, server] of nameservers.entries()) {
    faults.invalidEach(`${at}.nameservers[${index}]`, server, checkAddress(server));
  }
  if (searches.length > searchPathsMax) {
    faults.invalid(`${at}.searches`, searches, `must not have more than ${searchPathsMax} search paths`);
  }
  if (searches.join(" ").length > searchCharactersMax) {
    const detail = `must not have more than ${searchCharactersMax} characters (including spaces) in the search list`;
    faults.invalid(`${at}.searches`, searches, detail);
  }
  for (const [index, search] of searches.entries()) {
    // Names of services may contain underscores, and a single dot disables the search.
    const name = search.replace(/\.$/, "").replaceAll("_", "-");
    if (search !== ".") faults.invalidEach(`${at}.searches[${index}]`, search, checkSubdomain1123(name));
  }
  for (const [index, { name = "" }] of options.entries()) {
    if (name === "") faults.required(`${at}.options[${index}]`, "must not be empty");
  }
}
