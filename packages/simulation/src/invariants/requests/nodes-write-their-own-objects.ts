import { claimOfVolume, nodeLeaseNamespace, pods, nodeUserPrefix } from "@kintsugi/api";
import type { Invariant, InvariantContext } from "../invariant.ts";
import type { SeenRequest } from "../observed/seen-request.ts";

/** Requests about the node itself, or without an owner. */
const harmless: readonly string[] = [
  "events",
  "tokenreviews",
  "subjectaccessreviews",
  "selfsubjectreviews",
  "selfsubjectaccessreviews",
  "certificatesigningrequests",
];

/** A node writes only its own objects. */
export function nodesWriteTheirOwnObjects({ known }: Pick<InvariantContext, "known">): Invariant {
  return {
    name: "nodes-write-their-own-objects",
    never:
      "a write of a node's identity to any object except its Node, its CSINode, its Lease, its ResourceSlices, its pods and the status of their claims, and events",
    request(seen, check) {
      const { request } = seen;
      const { name: user } = request.identity;
      if (!user.startsWith(nodeUserPrefix)) return;
      const node = user.slice(nodeUserPrefix.length);
      const isTheirs = seen.path.resource === "persistentvolumeclaims" ? isOfPodOn(seen, node) : isOwn(seen, node);
      check(isTheirs ? undefined : `${user} was granted ${request.method} ${request.path}`);
    },
  };

  /** A kubelet reports the progress of a claim's expansion. */
  function isOfPodOn({ path: { namespace, name, subresource } }: SeenRequest, node: string): boolean {
    if (subresource !== "status") return false;
    return [...known.of(pods).values()].some(
      ({ metadata, spec }) =>
        spec?.nodeName === node &&
        metadata.namespace === namespace &&
        (spec.volumes ?? []).some((volume) => claimOfVolume(volume, metadata.name ?? "") === name),
    );
  }
}

function isOwn({ path, sent, target, request }: SeenRequest, node: string): boolean {
  const { resource, namespace, name, subresource } = path;
  const isNew = request.method === "POST" && name === "";
  switch (resource) {
    case "nodes":
      return isNew ? sent().metadata?.name === node : name === node && request.method !== "DELETE";
    case "csinodes":
      return isNew ? sent().metadata?.name === node : name === node && request.method !== "DELETE";
    case "resourceslices":
      return isNew ? sent().spec?.nodeName === node : request.method === "DELETE" && name.startsWith(`${node}-`);
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
