import { nodeLeaseNamespace, parseFieldSelector, requiredField } from "@kintsugi/api";
import type { AuthorizationAttributes, AuthorizationDecision } from "../authorization.ts";
import { nodeRules } from "../bootstrap/node-rules.ts";
import type { NodeGraph, ReferencedResource } from "./node-graph.ts";
import { nodeNameOf } from "../node-identity.ts";
import { ruleAllows } from "../rbac/policy-rule.ts";

const allowed: AuthorizationDecision = { allowed: true, reason: "" };

/** A node's own request, and the graph of the objects that its pods allow it to read. */
interface NodeRequest {
  readonly nodeName: string;
  readonly attributes: AuthorizationAttributes;
  readonly graph: NodeGraph;
}

/**
 * Allows kubelets to read the objects that their own pods need, and no objects of other nodes
 * (plugin/pkg/auth/authorizer/node). It never denies finally, because roles may still allow the
 * request. Its reasons and rules follow upstream 1.33.
 */
export function authorizeNode(graph: NodeGraph, attributes: AuthorizationAttributes): AuthorizationDecision {
  const nodeName = nodeNameOf(attributes.user);
  if (nodeName === undefined) {
    return noOpinion("");
  }
  if (nodeName === "") {
    return noOpinion(`unknown node for user ${JSON.stringify(attributes.user.name)}`);
  }
  const request: NodeRequest = { nodeName, attributes, graph };
  const resource = attributes.path === "" ? `${attributes.group}/${attributes.resource}` : "";
  switch (resource) {
    case "/secrets":
      return authorizeRead("secrets", request);
    case "/configmaps":
      return authorizeRead("configmaps", request);
    case "/persistentvolumeclaims":
      return authorizeClaim(request);
    case "/persistentvolumes":
      return authorizeGet(request, (name) => graph.reachesVolume(nodeName, name));
    case "storage.k8s.io/volumeattachments":
      return authorizeGet(request, (name) => graph.reachesAttachment(nodeName, name));
    case "storage.k8s.io/csinodes":
      return authorizeCsiNode(request);
    case "resource.k8s.io/resourceclaims":
      return authorizeDeviceClaim(request);
    case "resource.k8s.io/resourceslices":
      return authorizeSlice(request);
    case "/serviceaccounts":
      return authorizeToken(request);
    case "coordination.k8s.io/leases":
      return authorizeLease(request);
    case "/nodes":
      return authorizeOwnNode(request);
    case "/pods":
      return authorizePod(request);
    default:
      return nodeRules.some((rule) => ruleAllows(rule, attributes)) ? allowed : noOpinion("");
  }
}

function authorizeRead(resource: ReferencedResource, request: NodeRequest): AuthorizationDecision {
  const { verb, subresource, namespace } = request.attributes;
  if (!["get", "list", "watch"].includes(verb)) {
    return noOpinion("can only read resources of this type");
  }
  if (subresource !== "") {
    return noOpinion("cannot read subresource");
  }
  if (namespace === "") {
    return noOpinion("can only read namespaced object of this type");
  }
  return authorizeReachable(resource, request);
}

function authorizeClaim(request: NodeRequest): AuthorizationDecision {
  const { verb, subresource } = request.attributes;
  if (subresource === "status") {
    const readsOrWrites = ["get", "update", "patch"].includes(verb);
    return readsOrWrites
      ? authorizeReachable("persistentvolumeclaims", request)
      : noOpinion("can only get/update/patch this type");
  }
  if (verb !== "get") {
    return noOpinion("can only get individual resources of this type");
  }
  return subresource === ""
    ? authorizeReachable("persistentvolumeclaims", request)
    : noOpinion("cannot get subresource");
}

function authorizeGet(request: NodeRequest, reaches: (name: string) => boolean): AuthorizationDecision {
  const { verb, subresource, name } = request.attributes;
  if (verb !== "get") {
    return noOpinion("can only get individual resources of this type");
  }
  if (subresource !== "") {
    return noOpinion("cannot get subresource");
  }
  if (name === "") {
    return noOpinion("No Object name found");
  }
  return reaches(name)
    ? allowed
    : noOpinion(`no relationship found between node '${request.nodeName}' and this object`);
}

/** The name is unknown when a CSINode is created, so NodeRestriction inspects it then. */
function authorizeCsiNode({ nodeName, attributes }: NodeRequest): AuthorizationDecision {
  const { verb, subresource, name } = attributes;
  if (!["get", "create", "update", "patch", "delete"].includes(verb)) {
    return noOpinion("can only get, create, update, patch, or delete a CSINode");
  }
  if (subresource !== "") {
    return noOpinion("cannot authorize CSINode subresources");
  }
  if (verb !== "create" && name !== nodeName) {
    return noOpinion("can only access CSINode with the same name as the requesting node");
  }
  return allowed;
}

function authorizeDeviceClaim(request: NodeRequest): AuthorizationDecision {
  const { verb, subresource } = request.attributes;
  if (verb !== "get") {
    return noOpinion("can only get individual resources of this type");
  }
  return subresource === "" ? authorizeReachable("resourceclaims", request) : noOpinion("cannot get subresource");
}

/**
 * The node of a slice is unknown when the slice is created, so NodeRestriction inspects it then.
 */
function authorizeSlice({ nodeName, attributes, graph }: NodeRequest): AuthorizationDecision {
  const { verb, subresource, name } = attributes;
  if (subresource !== "") {
    return noOpinion("cannot authorize ResourceSlice subresources");
  }
  switch (verb) {
    case "create":
      return allowed;
    case "get":
    case "update":
    case "patch":
    case "delete":
      if (name === "") {
        return noOpinion("No Object name found");
      }
      return graph.reachesSlice(nodeName, name)
        ? allowed
        : noOpinion(`no relationship found between node '${nodeName}' and this object`);
    case "list":
    case "watch":
    case "deletecollection":
      return selectsField(attributes, "spec.nodeName") === nodeName
        ? allowed
        : noOpinion("can only list/watch/deletecollection resourceslices with nodeName field selector");
    default:
      return noOpinion(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
      );
  }
}

function authorizeToken(request: NodeRequest): AuthorizationDecision {
  const { verb, name, subresource } = request.attributes;
  if (verb !== "create" || name === "") {
    return noOpinion("can only create tokens for individual service accounts");
  }
  if (subresource !== "token") {
    return noOpinion("can only create token subresource of serviceaccount");
  }
  return authorizeReachable("serviceaccounts", request);
}

/** The name is unknown when a lease is created, so NodeRestriction inspects it then. */
function authorizeLease({ nodeName, attributes }: NodeRequest): AuthorizationDecision {
  const { verb, namespace, name } = attributes;
  if (!["get", "create", "update", "patch", "delete"].includes(verb)) {
    return noOpinion("can only get, create, update, patch, or delete a node lease");
  }
  if (namespace !== nodeLeaseNamespace) {
    return noOpinion(`can only access leases in the ${JSON.stringify(nodeLeaseNamespace)} system namespace`);
  }
  if (verb !== "create" && name !== nodeName) {
    return noOpinion("can only access node lease with the same name as the requesting node");
  }
  return allowed;
}

/** NodeRestriction decides which node is written; reads are limited here. */
function authorizeOwnNode({ nodeName, attributes }: NodeRequest): AuthorizationDecision {
  const { verb, subresource } = attributes;
  if (subresource === "status") {
    return ["update", "patch"].includes(verb) ? allowed : noOpinion("");
  }
  if (subresource !== "") {
    return noOpinion("");
  }
  switch (verb) {
    case "create":
    case "update":
    case "patch":
      return allowed;
    case "get":
    case "list":
    case "watch": {
      const { name } = attributes;
      if (name === nodeName) {
        return allowed;
      }
      return name === ""
        ? noOpinion(`node '${nodeName}' cannot read all nodes, only its own Node object`)
        : noOpinion(`node '${nodeName}' cannot read '${name}', only its own Node object`);
    }
    default:
      return noOpinion("");
  }
}

/** NodeRestriction decides which pod is written; reads are limited here. */
function authorizePod(request: NodeRequest): AuthorizationDecision {
  const { nodeName, attributes } = request;
  switch (`${attributes.subresource}:${attributes.verb}`) {
    case ":get":
      return authorizeReachable("pods", request);
    case ":list":
    case ":watch":
      return selectsField(attributes, "spec.nodeName") === nodeName
        ? allowed
        : noOpinion("can only list/watch pods with spec.nodeName field selector");
    case ":create":
    case ":delete":
    case "status:update":
    case "status:patch":
    case "eviction:create":
      return allowed;
    default:
      return noOpinion("");
  }
}

function authorizeReachable(
  resource: ReferencedResource,
  { nodeName, attributes, graph }: NodeRequest,
): AuthorizationDecision {
  if (attributes.name === "") {
    return noOpinion("No Object name found");
  }
  const isReached =
    graph.reaches(nodeName, resource, attributes) ||
    (resource === "secrets" && graph.reachesSecretOfVolume(nodeName, attributes));
  return isReached ? allowed : noOpinion(`no relationship found between node '${nodeName}' and this object`);
}

/**
 * The only value that the request's field selector admits; undefined for a selector that does not
 * parse.
 */
export function selectsField({ fieldSelector }: AuthorizationAttributes, field: string): string | undefined {
  try {
    return requiredField(parseFieldSelector(fieldSelector), field);
  } catch {
    // Here the selector grants no access; the request is rejected for its selector later.
    return undefined;
  }
}

function noOpinion(reason: string): AuthorizationDecision {
  return { allowed: false, reason };
}
