import { nodeLeaseNamespace } from "@kintsugi/api";
import type { Invariant } from "../invariant.ts";
import type { SeenRequest } from "../observed/seen-request.ts";

const nodeUser = "system:node:";
/** Requests about the node itself, or without an owner. */
const harmless: readonly string[] = [
  "events",
  "tokenreviews",
  "subjectaccessreviews",
  "selfsubjectreviews",
  "selfsubjectaccessreviews",
  "certificatesigningrequests",
];

/** S19: a node writes only its own objects. */
export function nodesApart(): Invariant {
  return {
    name: "S19",
    never: "a write of a node's identity to anything but its Node, its CSINode, its Lease, its pods and events",
    request(seen, check) {
      const { request } = seen;
      const { name: user } = request.identity;
      if (!user.startsWith(nodeUser)) return;
      const node = user.slice(nodeUser.length);
      check(isOwn(seen, node) ? undefined : `${user} was granted ${request.method} ${request.path}`);
    },
  };
}

function isOwn({ path, sent, target, request }: SeenRequest, node: string): boolean {
  const { resource, namespace, name, subresource } = path;
  const isNew = request.method === "POST" && name === "";
  switch (resource) {
    case "nodes":
      return isNew ? sent().metadata?.name === node : name === node && request.method !== "DELETE";
    case "csinodes":
      return isNew ? sent().metadata?.name === node : name === node && request.method !== "DELETE";
    case "leases":
      return namespace === nodeLeaseNamespace && (isNew || name === node);
    case "pods":
      return isNew ? sent().spec?.nodeName === node : target?.nodeName === node;
    case "serviceaccounts":
      return subresource === "token";
    default:
      return harmless.includes(resource);
  }
}
