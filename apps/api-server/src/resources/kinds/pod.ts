import { Pod, podQosClass, pods, type PodSpec } from "@kintsugi/api";
import { defineResource, type PrepareUpdate } from "../resource.ts";

export const podResource = defineResource<Pod>({
  type: pods,
  schema: Pod,
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
  rules: {
    status: true,
    generation: true,
    resetFields: { status: { "f:metadata": { "f:deletionTimestamp": {}, "f:ownerReferences": {} } } },
    returnsDeleted: true,
    prepareForCreate: (pod) => {
      pod.status = { phase: "Pending", qosClass: podQosClass(pod) };
    },
    prepareForUpdate,
    gracePeriodSeconds,
    selectableFields: {
      "spec.nodeName": (pod) => pod.spec?.nodeName,
      "spec.restartPolicy": (pod) => pod.spec?.restartPolicy,
      "spec.schedulerName": (pod) => pod.spec?.schedulerName,
      "spec.serviceAccountName": (pod) => pod.spec?.serviceAccountName,
      "spec.hostNetwork": (pod) => String(pod.spec?.hostNetwork === true),
      "status.phase": (pod) => pod.status?.phase,
      "status.podIP": (pod) => pod.status?.podIP,
      "status.nominatedNodeName": (pod) => pod.status?.nominatedNodeName,
    },
  },
});

/** A pod that no kubelet runs, or that has already ended, has nothing to be graceful about. */
function gracePeriodSeconds(pod: Pod, asked: number | undefined): number {
  if ((pod.spec?.nodeName ?? "") === "") return 0;
  if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return 0;
  const seconds = asked ?? pod.spec?.terminationGracePeriodSeconds ?? 30;
  return seconds < 0 ? 1 : seconds;
}

/** Each door lets in only what it is for; the rest is as it was. */
function prepareForUpdate(pod: Pod, before: Pod, { subresource }: PrepareUpdate): void {
  if (pod.spec === undefined || before.spec === undefined) return;
  switch (subresource) {
    case "":
      setEphemeralContainers(pod.spec, before.spec);
      break;
    case "status":
      if (pod.status !== undefined && before.status?.qosClass !== undefined)
        pod.status.qosClass ??= before.status.qosClass;
      break;
    case "ephemeralcontainers": {
      const added = pod.spec;
      pod.spec = { ...before.spec };
      setEphemeralContainers(pod.spec, added);
      pod.metadata = before.metadata;
      break;
    }
    case "resize":
      pod.metadata = before.metadata;
      break;
    default:
  }
}

function setEphemeralContainers(spec: PodSpec, from: PodSpec): void {
  if (from.ephemeralContainers === undefined) delete spec.ephemeralContainers;
  else spec.ephemeralContainers = from.ephemeralContainers;
}
