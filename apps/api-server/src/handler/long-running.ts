import type { RequestInfo } from "../request/request-info.ts";

/**
 * Requests that last as long as the caller likes. They have no time limit, and are counted
 * separately.
 */
export function isLongRunning(info: RequestInfo): boolean {
  return info.verb === "watch" || longRunningSubresources.has(info.subresource);
}

const longRunningSubresources = new Set(["attach", "exec", "log", "portforward", "proxy"]);
