import type { Node } from "./node.ts";
import type { Taint } from "./node-spec.ts";
import { checkLabelValue } from "../../../values/names.ts";
import { sameJson } from "../../../values/json.ts";
import type { Faults } from "../../../validation/faults.ts";
import { checkCidr, cidrFamily } from "../../../values/ip-address.ts";
import { validateLabelKey } from "../../../validation/labels.ts";
import { validateQuantities } from "../pod/validation/resources.ts";
import { taintEffects } from "../pod/validation/scheduling.ts";

export function validateNode(node: Node, faults: Faults): void {
  const { spec = {}, status = {} } = node;
  // Upstream names taints below metadata.
  validateTaints(spec.taints ?? [], "metadata.taints", faults);
  validateQuantities(status.capacity ?? {}, "status.capacity", faults);
  validateQuantities(status.allocatable ?? {}, "status.allocatable", faults);
  validateCidrs(spec.podCIDRs ?? [], faults);
}

export function validateNodeUpdate(after: Node, before: Node, faults: Faults): void {
  const [next, previous] = [after.spec ?? {}, before.spec ?? {}];
  const cidrs = previous.podCIDRs ?? [];
  if (cidrs.length > 0 && !sameJson(next.podCIDRs ?? [], cidrs)) {
    faults.forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid');
  }
  const provider = previous.providerID ?? "";
  if (provider !== "" && next.providerID !== provider) {
    faults.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid');
  }
  if ((next.externalID ?? "") !== (previous.externalID ?? ""))
    faults.forbidden("spec.externalID", "may not be updated");
  validateNodeStatus(after, faults);
}

const conditionStatuses = ["True", "False", "Unknown"];

/** Applies to writes of the status too. */
export function validateNodeStatus({ status }: Node, faults: Faults): void {
  const addresses = new Set<string>();
  for (const [index, address] of (status?.addresses ?? []).entries()) {
    const text = `${address.type} ${address.address}`;
    if (addresses.has(text)) faults.duplicate(`status.addresses[${index}]`, address);
    addresses.add(text);
  }
  for (const [index, condition] of (status?.conditions ?? []).entries()) {
    // Kintsugi's own rule, because every reader of a condition depends on these three words.
    faults.oneOf(`status.conditions[${index}].status`, condition.status, conditionStatuses);
  }
}

function validateTaints(taints: readonly Taint[], path: string, faults: Faults): void {
  const seen = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    const at = `${path}[${index}]`;
    validateLabelKey(taint.key, `${at}.key`, faults);
    const problems = checkLabelValue(taint.value ?? "");
    if (problems.length > 0) faults.invalid(`${at}.value`, taint.value, problems.join(";"));
    faults.oneOf(`${at}.effect`, taint.effect, taintEffects);
    const identity = `${taint.effect} ${taint.key}`;
    if (seen.has(identity)) faults.duplicate(at, taint, "taints must be unique by key and effect pair");
    seen.add(identity);
  }
}

function validateCidrs(cidrs: readonly string[], faults: Faults): void {
  for (const [index, cidr] of cidrs.entries()) {
    faults.invalidEach(`spec.podCIDRs[${index}]`, cidr, checkCidr(cidr));
    if (cidrs.indexOf(cidr) !== index) faults.duplicate(`spec.podCIDRs[${index}]`, cidr);
  }
  const families = new Set(cidrs.map(cidrFamily));
  if (cidrs.length > 2 || (cidrs.length === 2 && families.size < 2)) {
    faults.invalid("spec.podCIDRs", cidrs, "may specify no more than one CIDR for each IP family");
  }
}
