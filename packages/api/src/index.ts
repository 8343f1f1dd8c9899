export {
  ApiError,
  type ApiErrorOptions,
  isApiError,
  statusCodeByReason,
  type StatusReason,
} from "./errors/api-error.ts";
export { ReplicaSet, ReplicaSetCondition, ReplicaSetSpec, ReplicaSetStatus } from "./kinds/apps/replica-set.ts";
export { SelfSubjectReview, SelfSubjectReviewStatus, UserInfo } from "./kinds/authentication/self-subject-review.ts";
export {
  BoundObjectReference,
  TokenRequest,
  TokenRequestSpec,
  TokenRequestStatus,
} from "./kinds/authentication/token-request.ts";
export {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "./kinds/authorization/access-review.ts";
export {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  NonResourceAttributes,
  ResourceAttributes,
} from "./kinds/authorization/attributes.ts";
export {
  NonResourceRule,
  ResourceRule,
  SelfSubjectRulesReview,
  SelfSubjectRulesReviewSpec,
  SubjectRulesReviewStatus,
} from "./kinds/authorization/rules-review.ts";
export { Scale, ScaleSpec, ScaleStatus } from "./kinds/autoscaling/scale.ts";
export { Lease, LeaseSpec } from "./kinds/coordination/lease.ts";
export { Binding } from "./kinds/core/binding.ts";
export { ConfigMap } from "./kinds/core/config-map.ts";
export { Event, EventSeries, EventSource } from "./kinds/core/event.ts";
export { Namespace, NamespaceCondition, NamespaceSpec, NamespaceStatus } from "./kinds/core/namespace.ts";
export {
  LocalObjectReference,
  ObjectReference,
  TypedLocalObjectReference,
  TypedObjectReference,
} from "./kinds/core/references.ts";
export { Secret } from "./kinds/core/secret.ts";
export {
  ClientIPConfig,
  LoadBalancerIngress,
  LoadBalancerStatus,
  PortStatus,
  Service,
  ServicePort,
  ServiceSpec,
  ServiceStatus,
  SessionAffinityConfig,
} from "./kinds/core/service.ts";
export { ServiceAccount } from "./kinds/core/service-account.ts";
export {
  Endpoint,
  EndpointConditions,
  EndpointHints,
  EndpointPort,
  EndpointSlice,
  ForNode,
  ForZone,
} from "./kinds/discovery/endpoint-slice.ts";
export { EventsV1Event, EventsV1EventSeries } from "./kinds/events/event.ts";
export { Node } from "./kinds/node/node.ts";
export { ConfigMapNodeConfigSource, NodeConfigSource, NodeSpec, Taint } from "./kinds/node/node-spec.ts";
export {
  AttachedVolume,
  ContainerImage,
  DaemonEndpoint,
  NodeAddress,
  NodeCondition,
  NodeConfigStatus,
  NodeDaemonEndpoints,
  NodeFeatures,
  NodeRuntimeHandler,
  NodeRuntimeHandlerFeatures,
  NodeStatus,
  NodeSwapStatus,
  NodeSystemInfo,
} from "./kinds/node/node-status.ts";
export {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  PreferredSchedulingTerm,
  WeightedPodAffinityTerm,
} from "./kinds/pod/affinity.ts";
export {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  ContainerRestartRule,
  ContainerRestartRuleOnExitCodes,
  EphemeralContainer,
  VolumeDevice,
  VolumeMount,
} from "./kinds/pod/container.ts";
export {
  ContainerState,
  ContainerStateRunning,
  ContainerStateTerminated,
  ContainerStateWaiting,
  ContainerStatus,
  ContainerUser,
  ImageVolumeStatus,
  LinuxContainerUser,
  ResourceHealth,
  ResourceStatus,
  VolumeMountStatus,
  VolumeStatus,
} from "./kinds/pod/container-status.ts";
export {
  ConfigMapEnvSource,
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
  SecretEnvSource,
  SecretKeySelector,
} from "./kinds/pod/env.ts";
export { Pod } from "./kinds/pod/pod.ts";
export { HostAlias, PodDNSConfig, PodDNSConfigOption, PodOS, PodReadinessGate, PodSpec } from "./kinds/pod/pod-spec.ts";
export {
  ContainerExtendedResourceRequest,
  HostIP,
  NodeAllocatableResourceClaimStatus,
  PodCondition,
  PodExtendedResourceClaimStatus,
  PodIP,
  PodResourceClaimStatus,
  PodStatus,
} from "./kinds/pod/pod-status.ts";
export { PodTemplateSpec } from "./kinds/pod/pod-template.ts";
export {
  ExecAction,
  GRPCAction,
  HTTPGetAction,
  HTTPHeader,
  Lifecycle,
  LifecycleHandler,
  Probe,
  SleepAction,
  TCPSocketAction,
} from "./kinds/pod/probe.ts";
export { ResourceClaim, ResourceRequirements, VolumeResourceRequirements } from "./kinds/pod/resources.ts";
export {
  PodResourceClaim,
  PodSchedulingGate,
  PodSchedulingGroup,
  Toleration,
  TopologySpreadConstraint,
} from "./kinds/pod/scheduling.ts";
export {
  AppArmorProfile,
  Capabilities,
  PodSecurityContext,
  SELinuxOptions,
  SeccompProfile,
  SecurityContext,
  Sysctl,
  WindowsSecurityContextOptions,
} from "./kinds/pod/security-context.ts";
export { Volume } from "./kinds/pod/volume.ts";
export {
  CSIVolumeSource,
  EphemeralVolumeSource,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  PersistentVolumeClaimVolumeSource,
} from "./kinds/pod/volume-claim.ts";
export {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CinderVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "./kinds/pod/volume-cloud.ts";
export {
  ClusterTrustBundleProjection,
  ConfigMapProjection,
  ConfigMapVolumeSource,
  DownwardAPIProjection,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  SecretProjection,
  SecretVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "./kinds/pod/volume-files.ts";
export {
  EmptyDirVolumeSource,
  GitRepoVolumeSource,
  HostPathVolumeSource,
  ImageVolumeSource,
} from "./kinds/pod/volume-local.ts";
export {
  CephFSVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GlusterfsVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
} from "./kinds/pod/volume-network.ts";
export { Eviction } from "./kinds/policy/eviction.ts";
export {
  PodDisruptionBudget,
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from "./kinds/policy/pod-disruption-budget.ts";
export { AggregationRule, ClusterRole, PolicyRule, Role } from "./kinds/rbac/role.ts";
export { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from "./kinds/rbac/role-binding.ts";
export { Condition } from "./meta/condition.ts";
export { DeleteOptions, Preconditions } from "./meta/delete-options.ts";
export { FieldSelectorRequirement, LabelSelector, LabelSelectorRequirement } from "./meta/label-selector-type.ts";
export { ListMeta, ShardInfo } from "./meta/list-meta.ts";
export { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "./meta/object-meta.ts";
export { Status, StatusCause, StatusDetails } from "./meta/status.ts";
export type { ApiList, ApiObject } from "./meta/api-object.ts";
export { type Logger, type LogFields, silentLogger } from "./ports/logger.ts";
export {
  type Counter,
  type Gauge,
  type Histogram,
  type Labels,
  type MetricDefinition,
  type Metrics,
  silentMetrics,
} from "./ports/metrics.ts";
export { type ProfileName, profiles, type TimerProfile } from "./profiles.ts";
export { apiVersionOf, formatKey, type ObjectKey, parseKey, type ResourceType } from "./resource-type.ts";
export {
  binding,
  bindings,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  endpointSlices,
  events,
  eventsV1,
  eviction,
  leases,
  localSubjectAccessReviews,
  namespaces,
  nodes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  resourceTypes,
  roleBindings,
  roles,
  scale,
  secrets,
  selfSubjectAccessReviews,
  selfSubjectReviews,
  selfSubjectRulesReviews,
  serviceAccounts,
  services,
  subjectAccessReviews,
  type SubresourceType,
  tokenRequest,
  transientResourceTypes,
} from "./resources.ts";
export type { ChangeEnvelope, ChangeFilter, ChangeHandlers, ChangeMark, ChangeStream } from "./watch/change-stream.ts";
