import type { Deployment } from "../kinds/apps/deployment.ts";
import type { ReplicaSet } from "../kinds/apps/replica-set.ts";
import type { TokenRequest } from "../kinds/authentication/token-request.ts";
import type { Endpoints } from "../kinds/core/endpoints.ts";
import type { Namespace } from "../kinds/core/namespace.ts";
import type { Secret } from "../kinds/core/secret.ts";
import type { EndpointSlice } from "../kinds/discovery/endpoint-slice.ts";
import type { Node } from "../kinds/node/node.ts";
import type { ClusterRoleBinding, RoleBinding } from "../kinds/rbac/role-binding.ts";
import type { PriorityClass } from "../kinds/scheduling/priority-class.ts";
import { encodeBase64 } from "../values/base64.ts";
import { roundToMilli } from "./container-defaults.ts";
import { setPodSpecDefaults } from "./pod-defaults.ts";

/** Each fills in what upstream fills in for its kind, in place. */

export function setReplicaSetDefaults(replicaSet: ReplicaSet): void {
  if (replicaSet.spec === undefined) return;
  replicaSet.spec.replicas ??= 1;
  if (replicaSet.spec.template?.spec !== undefined) setPodSpecDefaults(replicaSet.spec.template.spec);
}

/** As pkg/apis/apps/v1/defaults.go. */
export function setDeploymentDefaults({ spec }: Deployment): void {
  if (spec === undefined) return;
  spec.replicas ??= 1;
  spec.strategy ??= {};
  spec.strategy.type ||= "RollingUpdate";
  if (spec.strategy.type === "RollingUpdate") {
    spec.strategy.rollingUpdate ??= {};
    spec.strategy.rollingUpdate.maxUnavailable ??= "25%";
    spec.strategy.rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  if (spec.template.spec !== undefined) setPodSpecDefaults(spec.template.spec);
}

/** Every namespace can be selected by its name, and is only removed after what lies in it. */
export function setNamespaceDefaults(namespace: Namespace): void {
  const { name } = namespace.metadata;
  if (name !== undefined && name !== "") {
    namespace.metadata.labels = { ...namespace.metadata.labels, "kubernetes.io/metadata.name": name };
  }
  namespace.spec ??= {};
  namespace.status ??= {};
  namespace.status.phase ||= "Active";
}

/** `stringData` is a way to write `data` without base64; it is never read back. */
export function setSecretDefaults(secret: Secret): void {
  secret.type ||= "Opaque";
  if (secret.stringData === undefined) return;
  const encoded = Object.entries(secret.stringData).map(([key, value]) => [key, encodeBase64(value)]);
  secret.data = { ...secret.data, ...Object.fromEntries(encoded) };
  delete secret.stringData;
}

export function setNodeDefaults(node: Node): void {
  const { spec, status } = node;
  if (spec !== undefined && (spec.podCIDR ?? "") !== "" && spec.podCIDRs === undefined)
    spec.podCIDRs = [spec.podCIDR ?? ""];
  if (spec !== undefined && spec.podCIDR === undefined && spec.podCIDRs?.[0] !== undefined)
    spec.podCIDR = spec.podCIDRs[0];
  roundToMilli(status?.capacity);
  roundToMilli(status?.allocatable);
  if (status?.capacity !== undefined) status.allocatable ??= { ...status.capacity };
}

export function setEndpointsDefaults({ subsets = [] }: Endpoints): void {
  for (const { ports = [] } of subsets) for (const port of ports) port.protocol ||= "TCP";
}

export function setEndpointSliceDefaults(slice: EndpointSlice): void {
  for (const port of slice.ports ?? []) {
    port.name ??= "";
    port.protocol ??= "TCP";
  }
}

export function setRoleBindingDefaults(binding: RoleBinding | ClusterRoleBinding): void {
  binding.roleRef.apiGroup ||= rbacGroup;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= rbacGroup;
  }
}

export function setTokenRequestDefaults(request: TokenRequest): void {
  request.spec ??= { audiences: [] };
  request.spec.expirationSeconds ??= 3600;
}

const rbacGroup = "rbac.authorization.k8s.io";

/** As pkg/apis/scheduling/v1/defaults.go; upstream writes a value of 0 too. */
export function setPriorityClassDefaults(priorityClass: PriorityClass): void {
  priorityClass.value ??= 0;
  priorityClass.preemptionPolicy ??= "PreemptLowerPriority";
}
