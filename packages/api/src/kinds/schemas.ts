import type { z } from "zod";
import type { ApiObject } from "../meta/api-object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import * as resources from "../resources.ts";
import { Deployment } from "./apps/deployment.ts";
import { ReplicaSet } from "./apps/replica-set.ts";
import { SelfSubjectReview } from "./authentication/self-subject-review.ts";
import { TokenReview } from "./authentication/token-review.ts";
import {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SubjectAccessReview,
} from "./authorization/access-review.ts";
import { SelfSubjectRulesReview } from "./authorization/rules-review.ts";
import { CertificateSigningRequest } from "./certificates/certificate-signing-request.ts";
import { Lease } from "./coordination/lease.ts";
import { Binding } from "./core/binding.ts";
import { ConfigMap } from "./core/config-map.ts";
import { Endpoints } from "./core/endpoints.ts";
import { Event } from "./core/event.ts";
import { Namespace } from "./core/namespace.ts";
import { Secret } from "./core/secret.ts";
import { ServiceAccount } from "./core/service-account.ts";
import { Service } from "./core/service.ts";
import { EndpointSlice } from "./discovery/endpoint-slice.ts";
import { EventsV1Event } from "./events/event.ts";
import { Node } from "./node/node.ts";
import { Pod } from "./pod/pod.ts";
import { PodDisruptionBudget } from "./policy/pod-disruption-budget.ts";
import { ClusterRoleBinding, RoleBinding } from "./rbac/role-binding.ts";
import { ClusterRole, Role } from "./rbac/role.ts";
import { PriorityClass } from "./scheduling/priority-class.ts";

/** A schema whose type is an API object. */
export type ObjectSchema<T extends ApiObject = ApiObject> = z.ZodObject & z.ZodType<T>;

/** Which schema describes the objects of each resource. */
const schemas: readonly (readonly [ResourceType, ObjectSchema])[] = [
  [resources.pods, Pod],
  [resources.nodes, Node],
  [resources.namespaces, Namespace],
  [resources.configMaps, ConfigMap],
  [resources.secrets, Secret],
  [resources.serviceAccounts, ServiceAccount],
  [resources.services, Service],
  [resources.endpoints, Endpoints],
  [resources.events, Event],
  [resources.eventsV1, EventsV1Event],
  [resources.deployments, Deployment],
  [resources.replicaSets, ReplicaSet],
  [resources.leases, Lease],
  [resources.certificateSigningRequests, CertificateSigningRequest],
  [resources.endpointSlices, EndpointSlice],
  [resources.podDisruptionBudgets, PodDisruptionBudget],
  [resources.priorityClasses, PriorityClass],
  [resources.roles, Role],
  [resources.roleBindings, RoleBinding],
  [resources.clusterRoles, ClusterRole],
  [resources.clusterRoleBindings, ClusterRoleBinding],
  [resources.bindings, Binding],
  [resources.subjectAccessReviews, SubjectAccessReview],
  [resources.localSubjectAccessReviews, LocalSubjectAccessReview],
  [resources.selfSubjectAccessReviews, SelfSubjectAccessReview],
  [resources.selfSubjectRulesReviews, SelfSubjectRulesReview],
  [resources.selfSubjectReviews, SelfSubjectReview],
  [resources.tokenReviews, TokenReview],
];

const byResource = new Map(schemas.map(([type, schema]) => [keyOf(type), schema]));

/** The schema of a resource's objects; `undefined` for a resource that is not this package's. */
export function findSchema<T extends ApiObject>(type: ResourceType<T>): ObjectSchema<T> | undefined {
  return byResource.get(keyOf(type)) as ObjectSchema<T> | undefined;
}

function keyOf(type: Pick<ResourceType, "group" | "version" | "resource">): string {
  return `${type.group}/${type.version}/${type.resource}`;
}
