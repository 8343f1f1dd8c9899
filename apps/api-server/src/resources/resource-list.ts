import type { Resource } from "./resource.ts";
import { certificateSigningRequestResource } from "./kinds/certificate-signing-request.ts";
import { configMapResource } from "./kinds/config-map.ts";
import { deploymentResource } from "./kinds/deployment.ts";
import { endpointsResource } from "./kinds/endpoints.ts";
import { endpointSliceResource } from "./kinds/endpoint-slice.ts";
import { eventResource, eventsV1Resource } from "./kinds/event.ts";
import { leaseResource } from "./kinds/lease.ts";
import { namespaceResource } from "./kinds/namespace.ts";
import { nodeResource } from "./kinds/node.ts";
import { podDisruptionBudgetResource } from "./kinds/pod-disruption-budget.ts";
import { podResource } from "./kinds/pod.ts";
import { priorityClassResource } from "./kinds/priority-class.ts";
import { clusterRoleBindingResource, clusterRoleResource, roleBindingResource, roleResource } from "./kinds/rbac.ts";
import { replicaSetResource } from "./kinds/replica-set.ts";
import { secretResource } from "./kinds/secret.ts";
import { serviceAccountResource } from "./kinds/service-account.ts";
import { serviceResource } from "./kinds/service.ts";

/** Every kind that is stored, in the order in which discovery lists them. */
export const resources: readonly Resource[] = [
  configMapResource,
  endpointsResource,
  eventResource,
  namespaceResource,
  nodeResource,
  podResource,
  secretResource,
  serviceAccountResource,
  serviceResource,
  deploymentResource,
  replicaSetResource,
  leaseResource,
  certificateSigningRequestResource,
  endpointSliceResource,
  eventsV1Resource,
  podDisruptionBudgetResource,
  clusterRoleBindingResource,
  clusterRoleResource,
  roleBindingResource,
  roleResource,
  priorityClassResource,
];
