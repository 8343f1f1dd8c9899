/** A resource that Kubernetes itself knows (core/v1/helper IsNativeResource). */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/**
 * True for a resource that others advertise, such as devices (IsExtendedResourceName); "requests."
 * begins names of quotas.
 */
export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith("requests.");
}
