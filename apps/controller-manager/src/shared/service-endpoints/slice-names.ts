import { checkSubdomain1123 } from "@kintsugi/api";

/** The label of a slice's controller. Slices of others are left alone. */
export const sliceManagerLabel = "endpointslice.kubernetes.io/managed-by";

/** The prefix of the names of slices has a dash, where the name leaves room for one. */
export function slicePrefix(serviceName: string): string {
  const prefix = `${serviceName}-`;
  return checkSubdomain1123(`${prefix}x`).length === 0 ? prefix : serviceName;
}
