import { isNativeResource, persistentVolumeClaims, pods, type ResourceType, services } from "@kintsugi/api";

type GroupResource = Pick<ResourceType, "group" | "resource">;

/** `count/deployments.apps`, `count/pods`. */
export function countName({ group, resource }: GroupResource): string {
  return group === "" ? `count/${resource}` : `count/${resource}.${group}`;
}

const computeNames = ["cpu", "memory", "ephemeral-storage"];
const podNames = new Set([
  "pods",
  ...computeNames,
  ...computeNames.map((name) => `requests.${name}`),
  ...computeNames.map((name) => `limits.${name}`),
]);
const serviceNames = new Set(["services", "services.nodeports", "services.loadbalancers"]);
const claimNames = ["persistentvolumeclaims", "requests.storage"];
const ofStorageClass = ".storageclass.storage.k8s.io/";

/** The kind whose objects use the resource of this name; undefined for an unused name. */
export function kindOfQuotaName(name: string): GroupResource | undefined {
  if (name.startsWith("count/")) {
    const [resource = "", ...group] = name.slice("count/".length).split(".");
    return { group: group.join("."), resource };
  }
  if (serviceNames.has(name)) return services;
  const isOfClaims = claimNames.some((each) => name === each || name.endsWith(ofStorageClass + each));
  if (isOfClaims) return persistentVolumeClaims;
  if (podNames.has(name) || name.startsWith("hugepages-") || name.startsWith("requests.hugepages-")) return pods;
  if (name.startsWith("requests.") && !isNativeResource(name)) return pods;
  return name.includes("/") ? undefined : { group: "", resource: name };
}

/** The kinds of core and other groups that are never counted (pkg/quota/v1/install). */
const uncounted: ReadonlySet<string> = new Set([
  "count/bindings",
  "count/componentstatuses",
  "count/events",
  "count/tokenreviews.authentication.k8s.io",
  "count/localsubjectaccessreviews.authorization.k8s.io",
  "count/selfsubjectaccessreviews.authorization.k8s.io",
  "count/selfsubjectrulesreviews.authorization.k8s.io",
  "count/subjectaccessreviews.authorization.k8s.io",
]);

export function isCountedKind(type: GroupResource): boolean {
  return !uncounted.has(countName(type));
}
