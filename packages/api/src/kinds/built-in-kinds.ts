import {
  mutatingAdmissionPolicyBindingKind,
  mutatingAdmissionPolicyBindingV1alpha1Kind,
  mutatingAdmissionPolicyBindingV1beta1Kind,
} from "./admissionregistration/mutating-admission-policy-binding/mutating-admission-policy-binding-kinds.ts";
import {
  mutatingAdmissionPolicyKind,
  mutatingAdmissionPolicyV1alpha1Kind,
  mutatingAdmissionPolicyV1beta1Kind,
} from "./admissionregistration/mutating-admission-policy/mutating-admission-policy-kinds.ts";
import { mutatingWebhookConfigurationKind } from "./admissionregistration/mutating-webhook-configuration/mutating-webhook-configuration-kind.ts";
import { validatingAdmissionPolicyBindingKind } from "./admissionregistration/validating-admission-policy-binding/validating-admission-policy-binding-kind.ts";
import { validatingAdmissionPolicyKind } from "./admissionregistration/validating-admission-policy/validating-admission-policy-kind.ts";
import { validatingWebhookConfigurationKind } from "./admissionregistration/validating-webhook-configuration/validating-webhook-configuration-kind.ts";
import { controllerRevisionKind } from "./apps/controller-revision/controller-revision-kind.ts";
import { daemonSetKind } from "./apps/daemon-set/daemon-set-kind.ts";
import { deploymentKind } from "./apps/deployment/deployment-kind.ts";
import { replicaSetKind } from "./apps/replica-set/replica-set-kind.ts";
import { statefulSetKind } from "./apps/stateful-set/stateful-set-kind.ts";
import {
  selfSubjectReviewKind,
  selfSubjectReviewV1beta1Kind,
} from "./authentication/self-subject-review/self-subject-review-kinds.ts";
import { tokenReviewKind } from "./authentication/token-review/token-review-kind.ts";
import {
  localSubjectAccessReviewKind,
  selfSubjectAccessReviewKind,
  subjectAccessReviewKind,
} from "./authorization/access-review/access-review-kinds.ts";
import { selfSubjectRulesReviewKind } from "./authorization/rules-review/rules-review-kind.ts";
import { cronJobKind } from "./batch/cron-job/cron-job-kind.ts";
import { apiServiceKind } from "./apiregistration/api-service/api-service-kind.ts";
import { customResourceDefinitionKind } from "./apiextensions/custom-resource-definition/custom-resource-definition-kind.ts";
import { jobKind } from "./batch/job/job-kind.ts";
import { certificateSigningRequestKind } from "./certificates/certificate-signing-request/certificate-signing-request-kind.ts";
import {
  clusterTrustBundleKind,
  clusterTrustBundleV1alpha1Kind,
} from "./certificates/cluster-trust-bundle/cluster-trust-bundle-kinds.ts";
import { horizontalPodAutoscalerV1Kind } from "./autoscaling/horizontal-pod-autoscaler-v1/horizontal-pod-autoscaler-v1-kind.ts";
import { horizontalPodAutoscalerKind } from "./autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler-kind.ts";
import {
  leaseCandidateKind,
  leaseCandidateV1alpha2Kind,
} from "./coordination/lease-candidate/lease-candidate-kinds.ts";
import { leaseKind } from "./coordination/lease/lease-kind.ts";
import { bindingKind } from "./core/binding/binding-kind.ts";
import { componentStatusKind } from "./core/component-status/component-status-kind.ts";
import { configMapKind } from "./core/config-map/config-map-kind.ts";
import { endpointsKind } from "./core/endpoints/endpoints-kind.ts";
import { eventKind } from "./core/event/event-kind.ts";
import { limitRangeKind } from "./core/limit-range/limit-range-kind.ts";
import { namespaceKind } from "./core/namespace/namespace-kind.ts";
import { nodeKind } from "./core/node/node-kind.ts";
import { persistentVolumeClaimKind } from "./core/persistent-volume-claim/persistent-volume-claim-kind.ts";
import { persistentVolumeKind } from "./core/persistent-volume/persistent-volume-kind.ts";
import { podKind } from "./core/pod/pod-kind.ts";
import { podTemplateKind } from "./core/pod-template/pod-template-kind.ts";
import { replicationControllerKind } from "./core/replication-controller/replication-controller-kind.ts";
import { resourceQuotaKind } from "./core/resource-quota/resource-quota-kind.ts";
import { secretKind } from "./core/secret/secret-kind.ts";
import { serviceAccountKind } from "./core/service-account/service-account-kind.ts";
import { serviceKind } from "./core/service/service-kind.ts";
import type { Kind } from "./define-kind.ts";
import { endpointSliceKind } from "./discovery/endpoint-slice/endpoint-slice-kind.ts";
import { eventsV1EventKind } from "./events/event/events-v1-event-kind.ts";
import { flowSchemaKind } from "./flowcontrol/flow-schema/flow-schema-kind.ts";
import { priorityLevelConfigurationKind } from "./flowcontrol/priority-level-configuration/priority-level-configuration-kind.ts";
import { ingressClassKind } from "./networking/ingress-class/ingress-class-kind.ts";
import { ingressKind } from "./networking/ingress/ingress-kind.ts";
import { ipAddressKind, ipAddressV1beta1Kind } from "./networking/ip-address/ip-address-kinds.ts";
import { networkPolicyKind } from "./networking/network-policy/network-policy-kind.ts";
import { serviceCidrKind, serviceCidrV1beta1Kind } from "./networking/service-cidr/service-cidr-kinds.ts";
import { runtimeClassKind } from "./node/runtime-class/runtime-class-kind.ts";
import { podDisruptionBudgetKind } from "./policy/pod-disruption-budget/pod-disruption-budget-kind.ts";
import { clusterRoleBindingKind, roleBindingKind } from "./rbac/role-binding/role-binding-kinds.ts";
import { clusterRoleKind, roleKind } from "./rbac/role/role-kinds.ts";
import { deviceClassKind, deviceClassV1beta2Kind } from "./resource/device-class/device-class-kinds.ts";
import {
  resourceClaimTemplateKind,
  resourceClaimTemplateV1beta2Kind,
} from "./resource/resource-claim-template/resource-claim-template-kinds.ts";
import { resourceClaimKind, resourceClaimV1beta2Kind } from "./resource/resource-claim/resource-claim-kinds.ts";
import { resourceSliceKind, resourceSliceV1beta2Kind } from "./resource/resource-slice/resource-slice-kinds.ts";
import { priorityClassKind } from "./scheduling/priority-class/priority-class-kind.ts";
import { csiDriverKind } from "./storage/csi-driver/csi-driver-kind.ts";
import { csiNodeKind } from "./storage/csi-node/csi-node-kind.ts";
import { csiStorageCapacityKind } from "./storage/csi-storage-capacity/csi-storage-capacity-kind.ts";
import { storageClassKind } from "./storage/storage-class/storage-class-kind.ts";
import { volumeAttachmentKind } from "./storage/volume-attachment/volume-attachment-kind.ts";
import {
  volumeAttributesClassKind,
  volumeAttributesClassV1beta1Kind,
} from "./storage/volume-attributes-class/volume-attributes-class-kinds.ts";

/**
 * Every compiled-in kind, in the order of discovery. Programs that only name kinds do not load this
 * module.
 */
export const builtInKinds: readonly Kind[] = [
  componentStatusKind,
  configMapKind,
  endpointsKind,
  eventKind,
  limitRangeKind,
  namespaceKind,
  nodeKind,
  persistentVolumeClaimKind,
  persistentVolumeKind,
  podKind,
  podTemplateKind,
  replicationControllerKind,
  resourceQuotaKind,
  secretKind,
  serviceAccountKind,
  serviceKind,
  controllerRevisionKind,
  daemonSetKind,
  deploymentKind,
  replicaSetKind,
  statefulSetKind,
  jobKind,
  cronJobKind,
  // Clients prefer the first version.
  horizontalPodAutoscalerKind,
  horizontalPodAutoscalerV1Kind,
  leaseKind,
  leaseCandidateKind,
  leaseCandidateV1alpha2Kind,
  certificateSigningRequestKind,
  clusterTrustBundleKind,
  clusterTrustBundleV1alpha1Kind,
  customResourceDefinitionKind,
  apiServiceKind,
  endpointSliceKind,
  eventsV1EventKind,
  flowSchemaKind,
  priorityLevelConfigurationKind,
  ingressClassKind,
  ingressKind,
  ipAddressKind,
  networkPolicyKind,
  serviceCidrKind,
  ipAddressV1beta1Kind,
  serviceCidrV1beta1Kind,
  runtimeClassKind,
  podDisruptionBudgetKind,
  clusterRoleBindingKind,
  clusterRoleKind,
  roleBindingKind,
  roleKind,
  mutatingAdmissionPolicyBindingKind,
  mutatingAdmissionPolicyKind,
  mutatingWebhookConfigurationKind,
  validatingAdmissionPolicyBindingKind,
  validatingAdmissionPolicyKind,
  validatingWebhookConfigurationKind,
  mutatingAdmissionPolicyBindingV1beta1Kind,
  mutatingAdmissionPolicyV1beta1Kind,
  mutatingAdmissionPolicyBindingV1alpha1Kind,
  mutatingAdmissionPolicyV1alpha1Kind,
  priorityClassKind,
  csiDriverKind,
  csiNodeKind,
  csiStorageCapacityKind,
  storageClassKind,
  volumeAttachmentKind,
  volumeAttributesClassKind,
  volumeAttributesClassV1beta1Kind,
  deviceClassKind,
  resourceClaimKind,
  resourceClaimTemplateKind,
  resourceSliceKind,
  deviceClassV1beta2Kind,
  resourceClaimV1beta2Kind,
  resourceClaimTemplateV1beta2Kind,
  resourceSliceV1beta2Kind,
  bindingKind,
  localSubjectAccessReviewKind,
  selfSubjectAccessReviewKind,
  selfSubjectRulesReviewKind,
  subjectAccessReviewKind,
  selfSubjectReviewKind,
  selfSubjectReviewV1beta1Kind,
  tokenReviewKind,
];
