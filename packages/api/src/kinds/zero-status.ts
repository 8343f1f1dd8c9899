import type { ApiObject } from "../meta/api-object.ts";
import type { ResourceType } from "../meta/resource-type.ts";

type Json = { readonly [key: string]: Json | string | number | boolean };

/**
 * The status that an object of Kubernetes always has. Go writes a field whose type is a struct and
 * not a pointer even if it is empty, so `"status":{}` is in every response of upstream, and in the
 * document of every JSON patch. These are the structs in the status of each kind, as in upstream's
 * types. Scalars are listed where upstream writes their zero as well.
 */
const zeroStatuses: Readonly<Record<string, Json>> = {
  "admissionregistration.k8s.io/validatingadmissionpolicies": {},
  "apiextensions.k8s.io/customresourcedefinitions": { acceptedNames: { plural: "", kind: "" } },
  "apiregistration.k8s.io/apiservices": {},
  "apps/daemonsets": { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  "apps/deployments": {},
  "apps/replicasets": { replicas: 0 },
  "apps/statefulsets": { replicas: 0, availableReplicas: 0 },
  "autoscaling/horizontalpodautoscalers": { desiredReplicas: 0 },
  "batch/cronjobs": {},
  "batch/jobs": {},
  "certificates.k8s.io/certificatesigningrequests": {},
  "core/namespaces": {},
  "core/nodes": {
    daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
    nodeInfo: {
      machineID: "",
      systemUUID: "",
      bootID: "",
      kernelVersion: "",
      osImage: "",
      containerRuntimeVersion: "",
      kubeletVersion: "",
      kubeProxyVersion: "",
      operatingSystem: "",
      architecture: "",
    },
  },
  "core/persistentvolumeclaims": {},
  "core/persistentvolumes": {},
  "core/pods": {},
  "core/replicationcontrollers": { replicas: 0 },
  "core/resourcequotas": {},
  "core/services": { loadBalancer: {} },
  "flowcontrol.apiserver.k8s.io/flowschemas": {},
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": {},
  "networking.k8s.io/ingresses": { loadBalancer: {} },
  "networking.k8s.io/servicecidrs": {},
  "policy/poddisruptionbudgets": { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  "resource.k8s.io/resourceclaims": {},
  "storage.k8s.io/volumeattachments": { attached: false },
};

const zeroOf = ({ group, resource }: Pick<ResourceType, "group" | "resource">) =>
  zeroStatuses[`${group === "" ? "core" : group}/${resource}`];

/** Reports whether upstream writes a status in every object of the kind. */
export function hasZeroStatus(type: Pick<ResourceType, "group" | "resource">): boolean {
  return zeroOf(type) !== undefined;
}

type Stated = ApiObject & { status?: unknown };

/**
 * Adds the fields that upstream always writes to the status of an object that is stored as this
 * type. Scalars are added only if the whole status is missing, because the schema adds them to a
 * status that a client sent.
 */
export function completeStatus(type: Pick<ResourceType, "group" | "resource">, object: Stated): void {
  const zero = zeroOf(type);
  if (zero === undefined) return;
  if (object.status === undefined || object.status === null) object.status = structuredClone(zero);
  else addStructs(object.status as Record<string, unknown>, zero);
}

function addStructs(status: Record<string, unknown>, zero: Json): void {
  for (const [key, value] of Object.entries(zero)) {
    if (typeof value !== "object") continue;
    const own = status[key];
    if (own === undefined || own === null) status[key] = structuredClone(value);
    else addStructs(own as Record<string, unknown>, value);
  }
}
