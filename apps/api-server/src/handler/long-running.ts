import type { RequestInfo } from "../request/request-info.ts";

/**
 * Requests that take as long as the caller likes: no time limit holds for them, and they are
 * counted apart.
 */
export function isLongRunning(info: RequestInfo): boolean {
  return info.verb === "watch" || longRunningSubresources.has(info.subresource);
}

const longRunningSubresources = new Set(["attach", "exec", "log", "portforward", "proxy"]);
