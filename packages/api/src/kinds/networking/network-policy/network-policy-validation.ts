import type { Faults } from "../../../validation/faults.ts";
import { validateLabelSelector } from "../../../validation/labels.ts";
import { checkCidr, cidrBits } from "../../../values/ip-address.ts";
import { checkPortName, checkPortNumber } from "../../../values/names.ts";
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from "./network-policy.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const policyTypes = ["Egress", "Ingress"];

/** The rules follow ValidateNetworkPolicy in pkg/apis/networking/validation. */
export function validateNetworkPolicy({ spec = {} }: NetworkPolicy, faults: Faults): void {
  validateLabelSelector(spec.podSelector, "spec.podSelector", faults);
  for (const [index, { ports = [], from = [] }] of (spec.ingress ?? []).entries()) {
    validateTraffic({ ports, peers: from, peersField: "from" }, `spec.ingress[${index}]`, faults);
  }
  for (const [index, { ports = [], to = [] }] of (spec.egress ?? []).entries()) {
    validateTraffic({ ports, peers: to, peersField: "to" }, `spec.egress[${index}]`, faults);
  }
  const types = spec.policyTypes ?? [];
  if (types.length > policyTypes.length) {
    return faults.invalid("spec.policyTypes", types, "may not specify more than two policyTypes");
  }
  for (const [index, type] of types.entries()) {
    if (!policyTypes.includes(type)) faults.notSupported(`spec.policyTypes[${index}]`, type, policyTypes);
  }
}

interface Traffic {
  ports: readonly NetworkPolicyPort[];
  peers: readonly NetworkPolicyPeer[];
  peersField: "from" | "to";
}

function validateTraffic({ ports, peers, peersField }: Traffic, path: string, faults: Faults): void {
  for (const [index, port] of ports.entries()) validatePort(port, `${path}.ports[${index}]`, faults);
  for (const [index, peer] of peers.entries()) validatePeer(peer, `${path}.${peersField}[${index}]`, faults);
}

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, path: string, faults: Faults): void {
  if (protocol !== undefined && !protocols.includes(protocol)) {
    faults.notSupported(`${path}.protocol`, protocol, protocols);
  }
  if (port === undefined) {
    if (endPort !== undefined) {
      faults.invalid(`${path}.endPort`, endPort, "may not be specified when `port` is not specified");
    }
  } else if (typeof port === "number") {
    faults.invalidEach(`${path}.port`, port, checkPortNumber(port));
    if (endPort === undefined) return;
    if (endPort < port) faults.invalid(`${path}.endPort`, port, "must be greater than or equal to `port`");
    faults.invalidEach(`${path}.endPort`, endPort, checkPortNumber(endPort));
  } else {
    if (endPort !== undefined) {
      faults.invalid(`${path}.endPort`, endPort, "may not be specified when `port` is non-numeric");
    }
    faults.invalidEach(`${path}.port`, port, checkPortName(port));
  }
}

function validatePeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  path: string,
  faults: Faults,
): void {
  validateLabelSelector(podSelector, `${path}.podSelector`, faults);
  validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`, faults);
  if (ipBlock !== undefined) validateBlock(ipBlock, `${path}.ipBlock`, faults);
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (!selects && ipBlock === undefined) faults.required(path, "must specify a peer");
  else if (selects && ipBlock !== undefined) faults.forbidden(path, "may not specify both ipBlock and another peer");
}

function validateBlock({ cidr, except = [] }: IPBlock, path: string, faults: Faults): void {
  if (cidr === "") return faults.required(`${path}.cidr`);
  faults.invalidEach(`${path}.cidr`, cidr, checkCidr(cidr));
  const outer = cidrBits(cidr);
  for (const [index, range] of except.entries()) {
    const at = `${path}.except[${index}]`;
    faults.invalidEach(at, range, checkCidr(range));
    const inner = cidrBits(range);
    if (inner === undefined || outer === undefined) continue;
    // The prefix of a range begins with the prefix of every range that contains it.
    if (inner.length > outer.length && inner.startsWith(outer)) continue;
    faults.invalid(at, range, "must be a strict subset of `cidr`");
  }
}
