import {
  type ApiError,
  type ApiObject,
  type Eviction,
  forbidden,
  type Node,
  nodeLeaseNamespace,
  notFound,
  type Pod,
  type ResourceSlice,
  sameJson,
  type TokenRequest,
} from "@kintsugi/api";
import { findForbiddenLabelChanges } from "@kintsugi/rules";
import { nothingElse } from "../assert-allowed.ts";
import type { AdmissionAttributes, AuthorizationAdmission, AddressRefusal } from "../admission-attributes.ts";
import { faultOfClaimStatus } from "./claim-status.ts";
import { checkMirrorPod } from "./mirror-pod.ts";
import { nodeNameOf } from "../node-identity.ts";
import { isIP } from "node:net";

type RestrictionDeps = Parameters<AuthorizationAdmission["nodeRestriction"]>[1];

/** A write by a node, with the state with which it is compared. */
interface NodeWrite {
  readonly nodeName: string;
  readonly attributes: AdmissionAttributes;
  readonly deps: RestrictionDeps;
}

/**
 * NodeRestriction: a kubelet may write only its own Node, its own Lease and the pods bound to its
 * node, and only the fields that a kubelet has to write. Rules and messages are upstream's, with
 * the fix for CVE-2025-5187 (a node that gives itself an owner is garbage-collected, and registers
 * again without its taints).
 */
export function checkNodeRestriction(attributes: AdmissionAttributes, deps: RestrictionDeps): ApiError | undefined {
  const nodeName = nodeNameOf(attributes.user);
  if (nodeName === undefined) {
    return undefined;
  }
  if (nodeName === "") {
    return refuse(attributes, `could not determine node from user ${JSON.stringify(attributes.user.name)}`);
  }
  const write: NodeWrite = { nodeName, attributes, deps };
  switch (`${attributes.type.group}/${attributes.type.resource}`) {
    case "/pods":
      return checkPods(write);
    case "/nodes":
      return checkNode(write);
    case "/serviceaccounts":
      return checkToken(write);
    case "coordination.k8s.io/leases":
      return checkLease(write);
    case "/persistentvolumeclaims":
    case "storage.k8s.io/csinodes":
      return checkStorage(write);
    case "resource.k8s.io/resourceslices":
      return checkSlice(write);
    default:
      return undefined;
  }
}

function checkPods(write: NodeWrite): ApiError | undefined {
  const { attributes } = write;
  switch (attributes.subresource) {
    case "":
      return checkPod(write);
    case "status":
      return checkPodStatus(write);
    case "eviction":
      return checkEviction(write);
    default:
      return refuse(
        attributes,
        `unexpected pod subresource ${JSON.stringify(attributes.subresource)}, only 'status' and 'eviction' are allowed`,
      );
  }
}

function checkPod({ nodeName, attributes, deps }: NodeWrite): ApiError | undefined {
  const node = JSON.stringify(nodeName);
  switch (attributes.operation) {
    case "create": {
      const because = checkMirrorPod(objectOf<Pod>(attributes), nodeName, deps.findNode(nodeName) as Node | undefined);
      return because === undefined ? undefined : refuse(attributes, because);
    }
    case "delete":
      return checkStoredPod(attributes.name, { attributes, deps }, (pod) =>
        pod.spec?.nodeName === nodeName
          ? undefined
          : `node ${node} can only delete pods with spec.nodeName set to itself`,
      );
    case "update":
    case "connect":
      return refuse(
        attributes,
        `unexpected operation ${JSON.stringify(attributes.operation.toUpperCase())}, node ${node} can only create and delete mirror pods`,
      );
  }
}

function checkPodStatus({ nodeName, attributes }: NodeWrite): ApiError | undefined {
  const node = JSON.stringify(nodeName);
  if (attributes.operation !== "update") {
    return refuse(attributes, `unexpected operation ${JSON.stringify(attributes.operation.toUpperCase())}`);
  }
  const [pod, before] = [objectOf<Pod>(attributes), attributes.before as Pod | undefined];
  if (before?.spec?.nodeName !== nodeName) {
    return refuse(attributes, `node ${node} can only update pod status for pods with spec.nodeName set to itself`);
  }
  if (!sameJson(pod.metadata.labels ?? {}, before.metadata.labels ?? {})) {
    return refuse(attributes, `node ${node} cannot update labels through pod status`);
  }
  // The node may read the claims that the pod names (CVE-2025-4563).
  if (!sameJson(pod.status?.resourceClaimStatuses ?? [], before.status?.resourceClaimStatuses ?? [])) {
    return refuse(attributes, `node ${node} cannot update resource claim statuses`);
  }
  return sameJson(pod.status?.extendedResourceClaimStatus ?? {}, before.status?.extendedResourceClaimStatus ?? {})
    ? undefined
    : refuse(attributes, `node ${node} cannot update extended resource claim status`);
}

function checkEviction({ nodeName, attributes, deps }: NodeWrite): ApiError | undefined {
  if (attributes.operation !== "create") {
    return refuse(attributes, `unexpected operation ${attributes.operation.toUpperCase()}`);
  }
  const name = attributes.name || objectOf<Eviction>(attributes).metadata?.name;
  if (!name) {
    return refuse(attributes, "could not determine pod from request data");
  }
  return checkStoredPod(name, { attributes, deps }, (pod) =>
    pod.spec?.nodeName === nodeName
      ? undefined
      : `node ${nodeName} can only evict pods with spec.nodeName set to itself`,
  );
}

function checkNode({ nodeName, attributes, deps }: NodeWrite): ApiError | undefined {
  const refused = (because: string) =>
    refuse(attributes, `node ${JSON.stringify(nodeName)} is not allowed to ${because}`);
  const requested =
    attributes.name || (attributes.object === undefined ? "" : objectOf<Node>(attributes).metadata.name);
  if (requested !== nodeName) {
    return refused(`modify node ${JSON.stringify(requested ?? "")}`);
  }
  if (attributes.operation === "delete" || attributes.object === undefined) {
    return undefined;
  }
  const [node, before] = [objectOf<Node>(attributes), attributes.before as Node | undefined];
  if (!sameJson(node.metadata.ownerReferences ?? [], before?.metadata.ownerReferences ?? [])) {
    return refused("modify ownerReferences");
  }
  const address = findRefusedAddress(node, before, deps.refusedAddresses);
  if (address !== undefined) {
    return refused(
      `have the address ${address}, because it is not a machine's address, or belongs to the API server or a Service`,
    );
  }
  const labels = findForbiddenLabelChanges(node.metadata.labels, before?.metadata.labels);
  if (before === undefined) {
    return labels.length === 0 ? undefined : refused(`set the following labels: ${labels.join(", ")}`);
  }
  if (!sameJson(node.spec?.taints ?? [], before.spec?.taints ?? [])) {
    return refused("modify taints");
  }
  return labels.length === 0 ? undefined : refused(`modify labels: ${labels.join(", ")}`);
}

/** A token is bound to one pod that runs on the node, so that it expires with the pod. */
function checkToken({ nodeName, attributes, deps }: NodeWrite): ApiError | undefined {
  if (attributes.operation !== "create" || attributes.subresource !== "token") {
    return undefined;
  }
  const bound = objectOf<TokenRequest>(attributes).spec?.boundObjectRef;
  if (bound?.apiVersion !== "v1" || bound.kind !== "Pod" || !bound.name) {
    return refuse(attributes, "node requested token not bound to a pod");
  }
  if (!bound.uid) {
    return refuse(attributes, "node requested token with a pod binding without a uid");
  }
  return checkStoredPod(bound.name, { attributes, deps }, (pod) => {
    if (pod.metadata.uid !== bound.uid) {
      return `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    }
    if (pod.spec?.nodeName !== nodeName) return "node requested token bound to a pod scheduled on a different node";
    return findForeignAudience(pod, { attributes, deps });
  });
}

/**
 * Upstream's ServiceAccountNodeAudienceRestriction: a token's audiences have to be named by a
 * volume of the pod, or a rule has to allow the node to request them.
 */
function findForeignAudience(
  pod: Pod,
  { attributes, deps }: Pick<NodeWrite, "attributes" | "deps">,
): string | undefined {
  const [audience = "", ...others] = objectOf<TokenRequest>(attributes).spec?.audiences ?? [];
  if (others.length > 0) return "node may only request 0 or 1 audiences";
  const projected = (pod.spec?.volumes ?? []).flatMap((volume) => volume.projected?.sources ?? []);
  const isNamed = projected.some(
    ({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? "") === audience,
  );
  if (isNamed) return undefined;
  const { user, namespace, name } = attributes;
  const asked = { ...nothingElse, user, namespace, name, resource: audience, version: "v1" };
  if (deps.authorizer.authorize({ ...asked, verb: "request-serviceaccounts-token-audience" }).allowed) return undefined;
  return `audience ${JSON.stringify(audience)} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`;
}

function checkLease({ nodeName, attributes }: NodeWrite): ApiError | undefined {
  if (attributes.namespace !== nodeLeaseNamespace) {
    return refuse(attributes, `can only access leases in the ${JSON.stringify(nodeLeaseNamespace)} system namespace`);
  }
  const name = attributes.operation === "create" ? objectOf<ApiObject>(attributes).metadata.name : attributes.name;
  return name === nodeName
    ? undefined
    : refuse(attributes, "can only access node lease with the same name as the requesting node");
}

function checkStorage({ nodeName, attributes }: NodeWrite): ApiError | undefined {
  const { operation } = attributes;
  if (attributes.type.resource === "persistentvolumeclaims") {
    const because = faultOfClaimStatus(nodeName, attributes);
    return because === undefined ? undefined : refuse(attributes, because);
  }
  const name = operation === "create" ? objectOf<ApiObject>(attributes).metadata.name : attributes.name;
  return name === nodeName
    ? undefined
    : refuse(attributes, "can only access CSINode with the same name as the requesting node");
}

/** The authorizer has inspected the node of an existing slice, which never changes. */
function checkSlice({ nodeName, attributes }: NodeWrite): ApiError | undefined {
  const { operation, before } = attributes;
  const isOwn = (slice: ResourceSlice) => slice.spec.nodeName === nodeName;
  const fault = (verb: string) => `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
  if (operation === "create" && !isOwn(objectOf<ResourceSlice>(attributes))) return refuse(attributes, fault("create"));
  if (operation === "delete" && before !== undefined && !isOwn(before as unknown as ResourceSlice))
    return refuse(attributes, fault("delete"));
  return undefined;
}

function checkStoredPod(
  name: string,
  { attributes, deps }: Pick<NodeWrite, "attributes" | "deps">,
  findFault: (pod: Pod) => string | undefined,
): ApiError | undefined {
  const pod = deps.findPod(attributes.namespace, name) as Pod | undefined;
  if (pod === undefined) {
    return notFound({ group: "", resource: "pods" }, name);
  }
  const because = findFault(pod);
  return because === undefined ? undefined : refuse(attributes, because);
}

/** The written object has passed its schema before admission. */
function objectOf<T>({ object }: AdmissionAttributes): T {
  return object as unknown as T;
}

function refuse(attributes: AdmissionAttributes, because: string): ApiError {
  const metadata = (attributes.object as unknown as Partial<ApiObject> | undefined)?.metadata;
  const name = metadata?.name || metadata?.generateName || attributes.name;
  return forbidden(attributes.type, name, because);
}

/**
 * Returns an address that a node may not write into its Node, because the API server dials it and
 * certificates are signed for it. This is Kintsugi's own rule; upstream leaves addresses to the
 * kubelet or to a cloud controller. An unchanged address is not checked again, so that a node which
 * already has such an address can still report.
 */
function findRefusedAddress(node: Node, before: Node | undefined, refused: AddressRefusal): string | undefined {
  const known = before?.status?.addresses ?? [];
  const added = (node.status?.addresses ?? []).filter((each) => !known.some((other) => sameJson(each, other)));
  return added.find(({ address }) => {
    const family = isIP(address);
    return family !== 0 && refused.check(address, family === 6 ? "ipv6" : "ipv4");
  })?.address;
}
