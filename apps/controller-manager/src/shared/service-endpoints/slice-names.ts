import { checkSubdomain1123 } from "@kintsugi/api";

/** The prefix of a slice's name ends in a dash if the name leaves space for it. */
export function slicePrefix(serviceName: string): string {
  const prefix = `${serviceName}-`;
  return checkSubdomain1123(`${prefix}x`).length === 0 ? prefix : serviceName;
}
