import type { Deployment } from "./kinds/apps/deployment.ts";
import type { ReplicaSet } from "./kinds/apps/replica-set.ts";
import type { SelfSubjectReview } from "./kinds/authentication/self-subject-review.ts";
import type { TokenReview } from "./kinds/authentication/token-review.ts";
import type { TokenRequest } from "./kinds/authentication/token-request.ts";
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SubjectAccessReview,
} from "./kinds/authorization/access-review.ts";
import type { SelfSubjectRulesReview } from "./kinds/authorization/rules-review.ts";
import type { Scale } from "./kinds/autoscaling/scale.ts";
import type { CertificateSigningRequest } from "./kinds/certificates/certificate-signing-request.ts";
import type { Lease } from "./kinds/coordination/lease.ts";
import type { Binding } from "./kinds/core/binding.ts";
import type { ConfigMap } from "./kinds/core/config-map.ts";
import type { Endpoints } from "./kinds/core/endpoints.ts";
import type { Event } from "./kinds/core/event.ts";
import type { Namespace } from "./kinds/core/namespace.ts";
import type { Secret } from "./kinds/core/secret.ts";
import type { ServiceAccount } from "./kinds/core/service-account.ts";
import type { Service } from "./kinds/core/service.ts";
import type { EndpointSlice } from "./kinds/discovery/endpoint-slice.ts";
import type { EventsV1Event } from "./kinds/events/event.ts";
import type { NodeMetrics, PodMetrics } from "./kinds/metrics/usage.ts";
import type { Node } from "./kinds/node/node.ts";
import type { Pod } from "./kinds/pod/pod.ts";
import type { Eviction } from "./kinds/policy/eviction.ts";
import type { PodDisruptionBudget } from "./kinds/policy/pod-disruption-budget.ts";
import type { ClusterRoleBinding, RoleBinding } from "./kinds/rbac/role-binding.ts";
import type { ClusterRole, Role } from "./kinds/rbac/role.ts";
import type { PriorityClass } from "./kinds/scheduling/priority-class.ts";
import type { ResourceType } from "./meta/resource-type.ts";

const all = ["all"] as const;
const none = [] as const;

const core = { group: "", version: "v1", categories: none } as const;
const rbac = { group: "rbac.authorization.k8s.io", version: "v1", shortNames: none, categories: none } as const;
const review = { group: "authorization.k8s.io", version: "v1", shortNames: none, categories: none } as const;
const usage = { group: "metrics.k8s.io", version: "v1beta1", shortNames: none, categories: none } as const;

export const pods: ResourceType<Pod> = {
  ...core,
  resource: "pods",
  singular: "pod",
  kind: "Pod",
  namespaced: true,
  shortNames: ["po"],
  categories: all,
};

export const nodes: ResourceType<Node> = {
  ...core,
  resource: "nodes",
  singular: "node",
  kind: "Node",
  namespaced: false,
  shortNames: ["no"],
};

export const namespaces: ResourceType<Namespace> = {
  ...core,
  resource: "namespaces",
  singular: "namespace",
  kind: "Namespace",
  namespaced: false,
  shortNames: ["ns"],
};

export const configMaps: ResourceType<ConfigMap> = {
  ...core,
  resource: "configmaps",
  singular: "configmap",
  kind: "ConfigMap",
  namespaced: true,
  shortNames: ["cm"],
};

export const secrets: ResourceType<Secret> = {
  ...core,
  resource: "secrets",
  singular: "secret",
  kind: "Secret",
  namespaced: true,
  shortNames: none,
};

export const serviceAccounts: ResourceType<ServiceAccount> = {
  ...core,
  resource: "serviceaccounts",
  singular: "serviceaccount",
  kind: "ServiceAccount",
  namespaced: true,
  shortNames: ["sa"],
};

export const services: ResourceType<Service> = {
  ...core,
  resource: "services",
  singular: "service",
  kind: "Service",
  namespaced: true,
  shortNames: ["svc"],
  categories: all,
};

export const endpoints: ResourceType<Endpoints> = {
  ...core,
  resource: "endpoints",
  singular: "endpoints",
  kind: "Endpoints",
  namespaced: true,
  shortNames: ["ep"],
};

export const events: ResourceType<Event> = {
  ...core,
  resource: "events",
  singular: "event",
  kind: "Event",
  namespaced: true,
  shortNames: ["ev"],
};

/** The same objects as `events`, in their newer representation. */
export const eventsV1: ResourceType<EventsV1Event> = {
  group: "events.k8s.io",
  version: "v1",
  resource: "events",
  singular: "event",
  kind: "Event",
  namespaced: true,
  shortNames: ["ev"],
  categories: none,
};

export const deployments: ResourceType<Deployment> = {
  group: "apps",
  version: "v1",
  resource: "deployments",
  singular: "deployment",
  kind: "Deployment",
  namespaced: true,
  shortNames: ["deploy"],
  categories: all,
};

export const replicaSets: ResourceType<ReplicaSet> = {
  group: "apps",
  version: "v1",
  resource: "replicasets",
  singular: "replicaset",
  kind: "ReplicaSet",
  namespaced: true,
  shortNames: ["rs"],
  categories: all,
};

export const leases: ResourceType<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  resource: "leases",
  singular: "lease",
  kind: "Lease",
  namespaced: true,
  shortNames: none,
  categories: none,
};

export const certificateSigningRequests: ResourceType<CertificateSigningRequest> = {
  group: "certificates.k8s.io",
  version: "v1",
  resource: "certificatesigningrequests",
  singular: "certificatesigningrequest",
  kind: "CertificateSigningRequest",
  namespaced: false,
  shortNames: ["csr"],
  categories: none,
};

export const endpointSlices: ResourceType<EndpointSlice> = {
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
  singular: "endpointslice",
  kind: "EndpointSlice",
  namespaced: true,
  shortNames: none,
  categories: none,
};

export const podDisruptionBudgets: ResourceType<PodDisruptionBudget> = {
  group: "policy",
  version: "v1",
  resource: "poddisruptionbudgets",
  singular: "poddisruptionbudget",
  kind: "PodDisruptionBudget",
  namespaced: true,
  shortNames: ["pdb"],
  categories: none,
};

export const priorityClasses: ResourceType<PriorityClass> = {
  group: "scheduling.k8s.io",
  version: "v1",
  resource: "priorityclasses",
  singular: "priorityclass",
  kind: "PriorityClass",
  namespaced: false,
  shortNames: ["pc"],
  categories: none,
};

export const roles: ResourceType<Role> = {
  ...rbac,
  resource: "roles",
  singular: "role",
  kind: "Role",
  namespaced: true,
};

export const roleBindings: ResourceType<RoleBinding> = {
  ...rbac,
  resource: "rolebindings",
  singular: "rolebinding",
  kind: "RoleBinding",
  namespaced: true,
};

export const clusterRoles: ResourceType<ClusterRole> = {
  ...rbac,
  resource: "clusterroles",
  singular: "clusterrole",
  kind: "ClusterRole",
  namespaced: false,
};

export const clusterRoleBindings: ResourceType<ClusterRoleBinding> = {
  ...rbac,
  resource: "clusterrolebindings",
  singular: "clusterrolebinding",
  kind: "ClusterRoleBinding",
  namespaced: false,
};

/** Worked out when they are asked for, of the nodes and pods that there are. */
export const nodeMetrics: ResourceType<NodeMetrics> = {
  ...usage,
  resource: "nodes",
  singular: "",
  kind: "NodeMetrics",
  namespaced: false,
};

export const podMetrics: ResourceType<PodMetrics> = {
  ...usage,
  resource: "pods",
  singular: "",
  kind: "PodMetrics",
  namespaced: true,
};

export const subjectAccessReviews: ResourceType<SubjectAccessReview> = {
  ...review,
  resource: "subjectaccessreviews",
  singular: "subjectaccessreview",
  kind: "SubjectAccessReview",
  namespaced: false,
};

export const localSubjectAccessReviews: ResourceType<LocalSubjectAccessReview> = {
  ...review,
  resource: "localsubjectaccessreviews",
  singular: "localsubjectaccessreview",
  kind: "LocalSubjectAccessReview",
  namespaced: true,
};

export const selfSubjectAccessReviews: ResourceType<SelfSubjectAccessReview> = {
  ...review,
  resource: "selfsubjectaccessreviews",
  singular: "selfsubjectaccessreview",
  kind: "SelfSubjectAccessReview",
  namespaced: false,
};

export const selfSubjectRulesReviews: ResourceType<SelfSubjectRulesReview> = {
  ...review,
  resource: "selfsubjectrulesreviews",
  singular: "selfsubjectrulesreview",
  kind: "SelfSubjectRulesReview",
  namespaced: false,
};

export const selfSubjectReviews: ResourceType<SelfSubjectReview> = {
  group: "authentication.k8s.io",
  version: "v1",
  resource: "selfsubjectreviews",
  singular: "selfsubjectreview",
  kind: "SelfSubjectReview",
  namespaced: false,
  shortNames: none,
  categories: none,
};

export const tokenReviews: ResourceType<TokenReview> = {
  group: "authentication.k8s.io",
  version: "v1",
  resource: "tokenreviews",
  singular: "tokenreview",
  kind: "TokenReview",
  namespaced: false,
  shortNames: none,
  categories: none,
};

export const bindings: ResourceType<Binding> = {
  ...core,
  resource: "bindings",
  singular: "binding",
  kind: "Binding",
  namespaced: true,
  shortNames: none,
};

/** Every kind that is stored. */
export const resourceTypes = [
  pods,
  nodes,
  namespaces,
  configMaps,
  secrets,
  serviceAccounts,
  services,
  endpoints,
  events,
  eventsV1,
  deployments,
  replicaSets,
  leases,
  certificateSigningRequests,
  endpointSlices,
  podDisruptionBudgets,
  priorityClasses,
  roles,
  roleBindings,
  clusterRoles,
  clusterRoleBindings,
] as const satisfies readonly ResourceType[];

/** Kinds that are only posted and answered, never stored. */
export const transientResourceTypes = [
  bindings,
  subjectAccessReviews,
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  selfSubjectReviews,
  tokenReviews,
] as const satisfies readonly ResourceType[];

/** A kind that is reached below objects of another: `pods/{name}/eviction`. */
export interface SubresourceType<T extends object = object> {
  readonly group: string;
  readonly version: string;
  /** The last part of the URL. */
  readonly subresource: string;
  readonly kind: string;
  /** Never present at run time. */
  readonly object?: T;
}

export const eviction: SubresourceType<Eviction> = {
  group: "policy",
  version: "v1",
  subresource: "eviction",
  kind: "Eviction",
};

export const binding: SubresourceType<Binding> = { group: "", version: "v1", subresource: "binding", kind: "Binding" };

export const scale: SubresourceType<Scale> = {
  group: "autoscaling",
  version: "v1",
  subresource: "scale",
  kind: "Scale",
};

export const tokenRequest: SubresourceType<TokenRequest> = {
  group: "authentication.k8s.io",
  version: "v1",
  subresource: "token",
  kind: "TokenRequest",
};
