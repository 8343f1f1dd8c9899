import { defaultGracePeriodSeconds } from "./rules/pod-state.ts";
import { podWarnings } from "./warnings/pod-warnings.ts";
import { defineKind } from "../../define-kind.ts";
import type { PrepareUpdate } from "../../kind-strategy.ts";
import { setPodDefaults } from "./defaults/pod-defaults.ts";
import { podQosClass } from "./rules/pod-resources.ts";
import type { Container } from "./spec/container.ts";
import type { PodSpec } from "./spec/pod-spec.ts";
import { podTable } from "./pod-table.ts";
import { pods } from "./pod-type.ts";
import { Pod } from "./pod.ts";
import { validatePodResize } from "./validation/updates/pod-resize.ts";
import { validatePodStatusUpdate } from "./validation/pod-status.ts";
import { validateEphemeralContainersUpdate, validatePodUpdate } from "./validation/updates/pod-update.ts";
import { validatePodCreate } from "./validation/pod.ts";

export const podKind = defineKind<Pod>({
  type: pods,
  schema: Pod,
  defaults: setPodDefaults,
  validation: {
    create: validatePodCreate,
    subresources: {
      "": validatePodUpdate,
      status: validatePodStatusUpdate,
      ephemeralcontainers: validateEphemeralContainersUpdate,
      resize: validatePodResize,
    },
  },
  strategy: {
    status: true,
    generation: true,
    // Updates do not return warnings, as in podStrategy.WarningsOnUpdate, because updates are
    // frequent and rarely made by people.
    warnings: (pod, before) => (before === undefined ? podWarnings(pod) : []),
    resetFields: { status: { "f:metadata": { "f:deletionTimestamp": {}, "f:ownerReferences": {} } } },
    returnsDeleted: true,
    prepareForCreate: (pod) => {
      pod.status = { phase: "Pending", qosClass: podQosClass(pod) };
    },
    keepOtherParts,
    prepareForUpdate,
    gracePeriodSeconds,
  },
  subresources: [
    "attach",
    "binding",
    "ephemeralcontainers",
    "eviction",
    "exec",
    "log",
    "portforward",
    "proxy",
    "resize",
    "restart",
    "status",
  ],
  selectable: {
    "spec.nodeName": (pod) => pod.spec?.nodeName,
    "spec.restartPolicy": (pod) => pod.spec?.restartPolicy,
    "spec.schedulerName": (pod) => pod.spec?.schedulerName,
    "spec.serviceAccountName": (pod) => pod.spec?.serviceAccountName,
    "spec.hostNetwork": (pod) => String(pod.spec?.hostNetwork === true),
    "status.phase": (pod) => pod.status?.phase,
    "status.podIP": (pod) => pod.status?.podIP,
    "status.nominatedNodeName": (pod) => pod.status?.nominatedNodeName,
  },
  table: podTable,
  exceptions: {
    nodeOf: ({ fields }) => fields?.["spec.nodeName"] ?? "",
    awaitedServiceAccount: ({ spec }) =>
      ["", defaultServiceAccount].includes(spec?.serviceAccountName ?? "") ? defaultServiceAccount : undefined,
  },
});

/** A controller creates this account in every namespace. */
const defaultServiceAccount = "default";

/** A pod that a kubelet does not run, or that has ended, does not need a grace period. */
function gracePeriodSeconds(pod: Pod, asked: number | undefined): number {
  if ((pod.spec?.nodeName ?? "") === "") return 0;
  if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return 0;
  const seconds = asked ?? pod.spec?.terminationGracePeriodSeconds ?? defaultGracePeriodSeconds;
  return seconds < 0 ? 1 : seconds;
}

/** Each subresource changes only its own part; all other fields are unchanged. */
function prepareForUpdate(pod: Pod, before: Pod, { subresource }: PrepareUpdate): void {
  if (pod.spec === undefined || before.spec === undefined) return;
  if (subresource === "") setEphemeralContainers(pod.spec, before.spec);
  else if (subresource === "status" && pod.status !== undefined && before.status?.qosClass !== undefined)
    pod.status.qosClass ??= before.status.qosClass;
}

/**
 * A write of ephemeral containers or of resources through their subresources never changes other
 * fields, as in upstream. Validation rejects containers in another order or with other names.
 */
function keepOtherParts(pod: Pod, before: Pod, subresource: string): void {
  if (subresource !== "ephemeralcontainers" && subresource !== "resize") return;
  const { managedFields } = pod.metadata;
  const { managedFields: _stored, ...metadata } = before.metadata;
  pod.metadata = { ...metadata, ...(managedFields !== undefined && { managedFields }) };
  const { spec } = pod;
  if (spec === undefined || before.spec === undefined) return;
  if (subresource === "ephemeralcontainers") {
    pod.spec = { ...before.spec };
    setEphemeralContainers(pod.spec, spec);
    return;
  }
  const containers = resized(spec.containers, before.spec.containers);
  const initContainers = resized(spec.initContainers ?? [], before.spec.initContainers ?? []);
  if (containers === undefined || initContainers === undefined) return;
  pod.spec = { ...before.spec, containers, ...(initContainers.length > 0 && { initContainers }) };
}

/** Returns the stored containers with their new resources; `undefined` for other containers. */
function resized(containers: readonly Container[], before: readonly Container[]): Container[] | undefined {
  if (containers.length !== before.length) return undefined;
  if (containers.some(({ name }, index) => name !== before[index]?.name)) return undefined;
  return before.map((container, index) => {
    const { resources: _resources, resizePolicy: _resizePolicy, ...rest } = container;
    const { resources, resizePolicy } = containers[index] as Container;
    return {
      ...rest,
      ...(resources !== undefined && { resources }),
      ...(resizePolicy !== undefined && { resizePolicy }),
    };
  });
}

function setEphemeralContainers(spec: PodSpec, from: PodSpec): void {
  if (from.ephemeralContainers === undefined) delete spec.ephemeralContainers;
  else spec.ephemeralContainers = from.ephemeralContainers;
}
