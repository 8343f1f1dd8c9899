import type { Faults } from "../../../validation/faults.ts";
import { validateObjectMeta } from "../../../validation/object-meta.ts";
import { addressFamily, checkAddress } from "../../../values/ip-address.ts";
import {
  checkLabel1123,
  checkPathSegment,
  checkPortName,
  checkPortNumber,
  checkSubdomain1123,
  checkWildcardSubdomain,
} from "../../../values/names.ts";
import type { TypedLocalObjectReference } from "../../core/references.ts";
import type { HTTPIngressPath, Ingress, IngressBackend, IngressRule, IngressSpec } from "./ingress.ts";

/** The annotation with which an Ingress named its class before the field existed. */
export const ingressClassAnnotation = "kubernetes.io/ingress.class";

/** A new Ingress may not have both the annotation and the field. */
export function validateNewIngress(ingress: Ingress, faults: Faults): void {
  validateObjectMeta(ingress.metadata, { namespaced: true, checkName: checkSubdomain1123 }, faults);
  validateIngress(ingress, faults);
  const annotated = ingress.metadata.annotations?.[ingressClassAnnotation];
  const named = ingress.spec?.ingressClassName;
  if (annotated === undefined || named === undefined || annotated === named) return;
  const path = ["annotations", ingressClassAnnotation].join(".");
  faults.invalid(path, annotated, "must match `ingressClassName` when both are specified");
}

/** The rules follow ValidateIngress in pkg/apis/networking/validation. */
export function validateIngress({ spec = {} }: Ingress, faults: Faults): void {
  const { defaultBackend, rules = [], ingressClassName } = spec;
  if (rules.length === 0 && defaultBackend === undefined) {
    faults.invalid("spec", rules, "either `defaultBackend` or `rules` must be specified");
  }
  if (defaultBackend !== undefined) validateBackend(defaultBackend, "spec.defaultBackend", faults);
  for (const [index, rule] of rules.entries()) validateRule(rule, `spec.rules[${index}]`, faults);
  validateTls(spec, faults);
  if (ingressClassName === undefined) return;
  faults.invalidEach("spec.ingressClassName", ingressClassName, checkSubdomain1123(ingressClassName));
}

export function validateIngressStatus({ status }: Ingress, faults: Faults): void {
  for (const [index, { ip = "", hostname = "" }] of (status?.loadBalancer?.ingress ?? []).entries()) {
    const path = `status.loadBalancer.ingress[${index}]`;
    if (ip !== "") faults.invalidEach(`${path}.ip`, ip, checkAddress(ip));
    if (hostname === "") continue;
    faults.invalidEach(`${path}.hostname`, hostname, checkSubdomain1123(hostname));
    if (addressFamily(hostname) !== undefined) {
      faults.invalid(`${path}.hostname`, hostname, "must be a DNS name, not an IP address");
    }
  }
}

function validateTls({ tls = [] }: IngressSpec, faults: Faults): void {
  for (const [index, { hosts = [], secretName = "" }] of tls.entries()) {
    const path = `spec.tls[${index}]`;
    for (const [at, host] of hosts.entries()) faults.invalidEach(`${path}.hosts[${at}]`, host, checkHost(host));
    if (secretName !== "") faults.invalidEach(`${path}.secretName`, secretName, checkSubdomain1123(secretName));
  }
}

function checkHost(host: string): string[] {
  return host.includes("*") ? checkWildcardSubdomain(host) : checkSubdomain1123(host);
}

function validateRule({ host = "", http }: IngressRule, path: string, faults: Faults): void {
  if (host !== "") {
    if (addressFamily(host) !== undefined) {
      faults.invalid(`${path}.host`, host, "must be a DNS name, not an IP address");
    }
    faults.invalidEach(`${path}.host`, host, checkHost(host));
  }
  if (http === undefined) return;
  if (http.paths.length === 0) faults.required(`${path}.http.paths`);
  for (const [index, each] of http.paths.entries()) validatePath(each, `${path}.http.paths[${index}]`, faults);
}

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
/** A client could escape a path prefix with these sequences. */
const wrongSequences = ["//", "/./", "/../", "%2f", "%2F"];
const wrongEndings = ["/..", "/."];

function validatePath({ path: text = "", pathType, backend }: HTTPIngressPath, path: string, faults: Faults): void {
  const isAbsolute = text.startsWith("/");
  if (pathType === "") faults.required(`${path}.pathType`, "pathType must be specified");
  else if (!pathTypes.includes(pathType)) faults.notSupported(`${path}.pathType`, pathType, pathTypes);
  else if (pathType === "ImplementationSpecific") {
    if (text !== "" && !isAbsolute) faults.invalid(`${path}.path`, text, "must be an absolute path");
  } else {
    if (!isAbsolute) faults.invalid(`${path}.path`, text, "must be an absolute path");
    for (const wrong of wrongSequences) {
      if (text.includes(wrong)) faults.invalid(`${path}.path`, text, `must not contain '${wrong}'`);
    }
    for (const wrong of wrongEndings) {
      if (text.endsWith(wrong)) faults.invalid(`${path}.path`, text, `cannot end with '${wrong}'`);
    }
  }
  validateBackend(backend, `${path}.backend`, faults);
}

function validateBackend({ resource, service }: IngressBackend, path: string, faults: Faults): void {
  if (resource !== undefined && service !== undefined) {
    return faults.invalid(path, "", "cannot set both resource and service backends");
  }
  if (resource !== undefined) return validateTypedReference(resource, `${path}.resource`, faults);
  if (service === undefined) return faults.invalid(path, "", "resource or service backend is required");
  const { name, port: { name: portName = "", number = 0 } = {} } = service;
  if (name === "") faults.required(`${path}.service.name`);
  else faults.invalidEach(`${path}.service.name`, name, checkLabel1123(name));
  if (portName !== "" && number !== 0) faults.invalid(path, "", "cannot set both port name & port number");
  else if (portName !== "") faults.invalidEach(`${path}.service.port.name`, portName, checkPortName(portName));
  else if (number !== 0) faults.invalidEach(`${path}.service.port.number`, number, checkPortNumber(number));
  else faults.required(path, "port name or number is required");
}

/** Applies to the parameters of a class too, which may be cluster-scoped. */
export function validateTypedReference(
  { apiGroup, kind, name }: TypedLocalObjectReference,
  path: string,
  faults: Faults,
): void {
  if (apiGroup !== undefined) faults.invalidEach(`${path}.apiGroup`, apiGroup, checkSubdomain1123(apiGroup));
  if (kind === "") faults.required(`${path}.kind`, "kind is required");
  else faults.invalidEach(`${path}.kind`, kind, checkPathSegment(kind));
  if (name === "") faults.required(`${path}.name`, "name is required");
  else faults.invalidEach(`${path}.name`, name, checkPathSegment(name));
}
