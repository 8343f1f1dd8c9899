import type { ContainerStatus } from "../status/container-status.ts";
import { podEscalationAnnotation } from "../rules/pod-escalation.ts";
import { isSidecar } from "../rules/pod-resources.ts";
import { allContainersCouldRestart, podRestartAnnotation } from "../rules/pod-restart.ts";
import type { Pod } from "../pod.ts";
import { checkQualifiedName, checkSubdomain1123 } from "../../../../values/names.ts";
import type { Faults } from "../../../../validation/faults.ts";
import { addressFamily, checkAddress } from "../../../../values/ip-address.ts";
import { validatePodMetaUpdate } from "./updates/pod-update.ts";

const phases = ["Failed", "Pending", "Running", "Succeeded", "Unknown"];

/** Validates a new status against the old status; the rules apply to every writer. */
export function validatePodStatusUpdate(after: Pod, before: Pod, faults: Faults): void {
  validatePodMetaUpdate(after, before, faults);
  const { status: next = {} } = after;
  const { status: previous = {} } = before;
  if ((after.spec?.nodeName ?? "") !== (before.spec?.nodeName ?? "")) {
    faults.forbidden("status.nodeName", "may not be changed directly");
  }
  // Kintsugi's own rule: upstream accepts any phase, but every reader depends on it.
  const phase: string = next.phase ?? "";
  if (phase !== "" && !phases.includes(phase)) faults.notSupported("status.phase", phase, phases);
  validateConditions(after, faults);
  const nominated = next.nominatedNodeName ?? "";
  if (nominated !== "" && nominated !== previous.nominatedNodeName) {
    faults.invalidEach("status.nominatedNodeName", nominated, checkSubdomain1123(nominated));
  }
  faults.immutable("status.qosClass", next.qosClass, next.qosClass === previous.qosClass);
  validateTransitions(after, before, faults);
  validateAddresses("podIPs", next.podIPs ?? [], faults);
  validateAddresses("hostIPs", next.hostIPs ?? [], faults);
  const firstHost = next.hostIPs?.[0]?.ip;
  if (firstHost !== undefined && firstHost !== next.hostIP) {
    faults.invalid("status.hostIPs[0].ip", firstHost, "must be equal to `hostIP`");
  }
}

const systemConditions = new Set(["PodScheduled", "Ready", "Initialized"]);

const conditionStatuses = ["True", "False", "Unknown"];

function validateConditions({ status }: Pod, faults: Faults): void {
  for (const [index, { type, status: value }] of (status?.conditions ?? []).entries()) {
    // Kintsugi's own rule: a condition must be True, False or Unknown.
    faults.oneOf(`status.conditions[${index}].status`, value, conditionStatuses);
    if (!systemConditions.has(type))
      faults.invalidEach(`status.conditions[${index}].type`, type, checkQualifiedName(type));
  }
}

/**
 * A terminated container remains terminated, unless its whole pod may restart
 * (ValidateContainerStateTransition).
 */
function validateTransitions(after: Pod, before: Pod, faults: Faults): void {
  if (mayBeginAnew(before)) return;
  const policy = before.spec?.restartPolicy ?? "Always";
  const sidecars = new Set((before.spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const lists = [
    { list: "containerStatuses", policy },
    { list: "initContainerStatuses", policy },
    { list: "ephemeralContainerStatuses", policy: "Never" },
  ] as const;
  for (const { list, policy: listPolicy } of lists) {
    if (listPolicy === "Always") continue;
    for (const [index, old] of (before.status?.[list] ?? []).entries()) {
      const mayRestart = sidecars.has(old.name) && list === "initContainerStatuses";
      const { terminated } = old.state ?? {};
      if (terminated === undefined || mayRestart || hasRestartRules(before, old)) continue;
      if (terminated.exitCode !== 0 && listPolicy === "OnFailure") continue;
      const revived = (after.status?.[list] ?? []).some(
        ({ name, state }) => name === old.name && state?.terminated === undefined,
      );
      if (revived)
        faults.forbidden(`status.${list}[${index}].state`, "may not be transitioned to non-terminated state");
    }
  }
}

/**
 * Reports whether terminated containers may start again: because a restart rule allows the restart
 * or, in Kintsugi only, because a client requested a restart of the pod, or because the pod
 * escalates when restarts of its containers do not help.
 */
function mayBeginAnew({ metadata, spec }: Pod): boolean {
  const { [podRestartAnnotation]: asked, [podEscalationAnnotation]: escalates } = metadata.annotations ?? {};
  return allContainersCouldRestart(spec) || asked !== undefined || escalates !== undefined;
}

/** The container's own restart policy or rules allow a restart where the pod's policy would not. */
function hasRestartRules(pod: Pod, { name }: ContainerStatus): boolean {
  const all = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const container = all.find((candidate) => candidate.name === name);
  return container?.restartPolicy !== undefined || (container?.restartPolicyRules ?? []).length > 0;
}

function validateAddresses(list: "podIPs" | "hostIPs", addresses: readonly { ip: string }[], faults: Faults): void {
  for (const [index, { ip }] of addresses.entries())
    faults.invalidEach(`status.${list}[${index}]`, ip, checkAddress(ip));
  if (addresses.length < 2) return;
  const families = new Set(addresses.map(({ ip }) => addressFamily(ip)));
  if (addresses.length > 2 || families.size < 2) {
    faults.invalid(`status.${list}`, addresses, "may specify no more than one IP for each IP family");
  }
}
