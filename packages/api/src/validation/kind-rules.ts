import type { ApiObject } from "../meta/api-object.ts";
import {
  checkLabel1035,
  checkLabel1123,
  checkPathSegment,
  checkSubdomain1123,
  type NameCheck,
} from "../values/names.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import * as resources from "../resources.ts";
import {
  validateCertificateApproval,
  validateCertificateSigningRequest,
  validateCertificateStatus,
} from "./certificate-signing-request.ts";
import { validateConfigMap, validateConfigMapUpdate, validateSecret, validateSecretUpdate } from "./config.ts";
import { validateLease, validateNamespace } from "./coordination.ts";
import { validateDeployment, validateDeploymentStatus, validateDeploymentUpdate } from "./deployment.ts";
import { validateEndpoints } from "./endpoints.ts";
import { validateEndpointSlice, validateEndpointSliceUpdate } from "./endpoint-slice.ts";
import { validateEvent, validateEventsV1Event, validateEventsV1Update } from "./event.ts";
import type { Faults } from "./faults.ts";
import { validateNode, validateNodeStatus, validateNodeUpdate } from "./node.ts";
import { validatePodCreate } from "./pod/pod.ts";
import { validatePodResize } from "./pod/pod-resize.ts";
import { validatePodStatusUpdate } from "./pod/pod-status.ts";
import { validateEphemeralContainersUpdate, validatePodUpdate } from "./pod/pod-update.ts";
import { validatePriorityClass, validatePriorityClassUpdate } from "./priority-class.ts";
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateRole,
  validateRoleBinding,
  validateRoleBindingUpdate,
} from "./rbac.ts";
import { validateService, validateServiceUpdate } from "./service.ts";
import {
  validatePodDisruptionBudget,
  validateReplicaSet,
  validateReplicaSetStatus,
  validateReplicaSetUpdate,
} from "./workloads.ts";

/** What one kind asks of its objects, beyond metadata. Each part is optional. */
export interface KindRules<T extends ApiObject = never> {
  checkName: NameCheck;
  /** What every object of the kind keeps to. */
  validate?(object: T, faults: Faults): void;
  /** In place of metadata's rules and `validate`, for kinds that see to both themselves. */
  create?(object: T, faults: Faults): void;
  /** What may not change. */
  update?(after: T, before: T, faults: Faults): void;
  /** What a status keeps to. */
  status?(object: T, faults: Faults): void;
  /** In place of all others, for a write through this subresource; "" is the object itself. */
  subresources?: Readonly<Record<string, (after: T, before: T, faults: Faults) => void>>;
}

const podRules = {
  checkName: checkSubdomain1123,
  create: validatePodCreate,
  subresources: {
    "": validatePodUpdate,
    status: validatePodStatusUpdate,
    ephemeralcontainers: validateEphemeralContainersUpdate,
    resize: validatePodResize,
  },
};

const subdomain = { checkName: checkSubdomain1123 };
const path = { checkName: checkPathSegment };

const rules: readonly (readonly [ResourceType, KindRules])[] = [
  [resources.pods, podRules],
  [resources.nodes, { ...subdomain, validate: validateNode, update: validateNodeUpdate, status: validateNodeStatus }],
  [resources.namespaces, { checkName: checkLabel1123, validate: validateNamespace }],
  [resources.configMaps, { ...subdomain, validate: validateConfigMap, update: validateConfigMapUpdate }],
  [resources.secrets, { ...subdomain, validate: validateSecret, update: validateSecretUpdate }],
  [resources.serviceAccounts, subdomain],
  [resources.services, { checkName: checkLabel1035, validate: validateService, update: validateServiceUpdate }],
  [resources.endpoints, { ...subdomain, validate: validateEndpoints }],
  [resources.events, { ...subdomain, validate: validateEvent }],
  [resources.eventsV1, { ...subdomain, validate: validateEventsV1Event, update: validateEventsV1Update }],
  [
    resources.deployments,
    { ...subdomain, validate: validateDeployment, update: validateDeploymentUpdate, status: validateDeploymentStatus },
  ],
  [
    resources.replicaSets,
    { ...subdomain, validate: validateReplicaSet, update: validateReplicaSetUpdate, status: validateReplicaSetStatus },
  ],
  [
    resources.certificateSigningRequests,
    {
      ...subdomain,
      validate: validateCertificateSigningRequest,
      subresources: { approval: validateCertificateApproval, status: validateCertificateStatus },
    },
  ],
  [resources.leases, { ...subdomain, validate: validateLease }],
  [resources.endpointSlices, { ...subdomain, validate: validateEndpointSlice, update: validateEndpointSliceUpdate }],
  [resources.podDisruptionBudgets, { ...subdomain, validate: validatePodDisruptionBudget }],
  [resources.priorityClasses, { ...subdomain, validate: validatePriorityClass, update: validatePriorityClassUpdate }],
  [resources.roles, { ...path, validate: validateRole }],
  [resources.roleBindings, { ...path, validate: validateRoleBinding, update: validateRoleBindingUpdate }],
  [resources.clusterRoles, { ...path, validate: validateClusterRole }],
  [resources.clusterRoleBindings, { ...path, validate: validateClusterRoleBinding, update: validateRoleBindingUpdate }],
];

const byResource = new Map(rules.map(([type, ofKind]) => [keyOf(type), ofKind]));

/** The rules of a kind; a kind that is not this package's is asked for a subdomain as its name, and nothing else. */
export function rulesOf(type: Pick<ResourceType, "group" | "version" | "resource">): KindRules {
  return byResource.get(keyOf(type)) ?? subdomain;
}

/** What names of the kind have to look like. */
export function nameCheckOf(type: Pick<ResourceType, "group" | "version" | "resource">): NameCheck {
  return rulesOf(type).checkName;
}

function keyOf(type: Pick<ResourceType, "group" | "version" | "resource">): string {
  return `${type.group}/${type.version}/${type.resource}`;
}
