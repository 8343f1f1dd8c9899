/** Reports whether Kubernetes itself defines the resource (core/v1/helper IsNativeResource). */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/**
 * Reports whether the resource is an extended resource, such as a device (IsExtendedResourceName).
 * Names with the prefix "requests." belong to quotas.
 */
export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith("requests.");
}
