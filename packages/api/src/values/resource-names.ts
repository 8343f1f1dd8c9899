/** Reports whether Kubernetes itself defines the resource (core/v1/helper IsNativeResource). */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/**
 * Reports whether the resource is advertised by others, such as devices (IsExtendedResourceName);
 * "requests." begins names of quotas.
 */
export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith("requests.");
}
