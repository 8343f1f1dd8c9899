/** The maturity of a feature, as in the metric kubernetes_feature_enabled; GA is "". */
export type FeatureStage = "ALPHA" | "BETA" | "";

/** The state of a feature since a minor version of Kubernetes 1. */
interface FeatureState {
  readonly since: number;
  readonly stage: FeatureStage;
  readonly isOn: boolean;
  /** The gate can no longer be changed. */
  readonly isLocked?: true;
}

export interface Feature {
  /** The states, ordered by version. */
  readonly states: readonly FeatureState[];
  /**
   * Fields that are dropped on writes while the feature is off, by kind; "PodSpec" covers every
   * kind with pods.
   */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

const alpha = (since: number): FeatureState => ({ since, stage: "ALPHA", isOn: false });
const beta = (since: number, isOn: boolean): FeatureState => ({ since, stage: "BETA", isOn });
const stable = (since: number): FeatureState => ({ since, stage: "", isOn: true });
const locked = (since: number): FeatureState => ({ since, stage: "", isOn: true, isLocked: true });

/** The paths of a field in all containers of a pod. */
const ofContainers = (...fields: readonly string[]) =>
  ["containers", "initContainers", "ephemeralContainers"].flatMap((list) =>
    fields.map((field) => `${list}[].${field}`),
  );

/** The paths of a field in a ResourceClaim and in a ResourceClaimTemplate. */
const ofClaims = (...fields: readonly string[]) => ({
  ResourceClaim: fields.map((field) => `spec.devices.${field}`),
  ResourceClaimTemplate: fields.map((field) => `spec.spec.devices.${field}`),
});

/**
 * The features of Kubernetes that can be switched here, by upstream's names and with its states
 * (pkg/features/kube_features.go). A field's path has dots between names, and [] after a list.
 */
export const featureTable: Readonly<Record<string, Feature>> = {
  CBORServingAndStorage: { states: [alpha(32)] },
  CSIServiceAccountTokenSecrets: {
    states: [beta(35, true), locked(36)],
    fields: { CSIDriver: ["spec.serviceAccountTokenInSecrets"] },
  },
  ClusterTrustBundle: { states: [alpha(27), beta(33, false), stable(37)] },
  ClusterTrustBundleProjection: {
    states: [alpha(29), beta(33, false), stable(37)],
    fields: { PodSpec: ["volumes[].projected.sources[].clusterTrustBundle"] },
  },
  ContainerRestartRules: {
    states: [alpha(34), beta(35, true)],
    fields: { PodSpec: ["containers[].restartPolicy", ...ofContainers("restartPolicyRules")] },
  },
  ContainerStopSignals: { states: [alpha(33)], fields: { PodSpec: ofContainers("lifecycle.stopSignal") } },
  ClearingNominatedNodeNameAfterBinding: { states: [alpha(34), beta(35, true)] },
  CoordinatedLeaderElection: { states: [alpha(31), beta(33, false)] },
  DRAAdminAccess: {
    states: [alpha(32), beta(34, true), locked(36)],
    fields: ofClaims("requests[].exactly.adminAccess"),
  },
  DRAConsumableCapacity: {
    states: [alpha(34), beta(36, true)],
    fields: {
      ...ofClaims(
        "requests[].exactly.capacity",
        "requests[].firstAvailable[].capacity",
        "constraints[].distinctAttribute",
      ),
      ResourceSlice: ["spec.devices[].allowMultipleAllocations"],
    },
  },
  DRADeviceBindingConditions: {
    states: [alpha(34), beta(36, true)],
    fields: {
      ResourceSlice: ["bindsToNode", "bindingConditions", "bindingFailureConditions"].map(
        (field) => `spec.devices[].${field}`,
      ),
    },
  },
  DRADeviceTaints: {
    states: [alpha(33), beta(36, true), stable(37)],
    fields: {
      ...ofClaims("requests[].exactly.tolerations", "requests[].firstAvailable[].tolerations"),
      ResourceSlice: ["spec.devices[].taints"],
    },
  },
  DRAExtendedResource: {
    states: [alpha(34), beta(36, true), locked(37)],
    fields: { DeviceClass: ["spec.extendedResourceName"] },
  },
  DRANodeAllocatableResources: {
    states: [alpha(36)],
    fields: { ResourceSlice: ["spec.devices[].nodeAllocatableResourceMappings"] },
  },
  DRAPartitionableDevices: {
    states: [alpha(33), beta(36, true)],
    fields: {
      ResourceSlice: [
        "spec.sharedCounters",
        "spec.perDeviceNodeSelection",
        ...["consumesCounters", "nodeName", "nodeSelector", "allNodes"].map((field) => `spec.devices[].${field}`),
      ],
    },
  },
  DRAPrioritizedList: {
    states: [alpha(33), beta(34, true), stable(36), locked(37)],
    fields: ofClaims("requests[].firstAvailable"),
  },
  DRAResourceClaimDeviceStatus: {
    states: [alpha(32), beta(33, true), locked(37)],
    fields: { ResourceClaim: ["status.devices"] },
  },
  DeploymentReplicaSetTerminatingReplicas: {
    states: [alpha(33), beta(35, true)],
    fields: { Deployment: ["status.terminatingReplicas"], ReplicaSet: ["status.terminatingReplicas"] },
  },
  DynamicResourceAllocation: {
    states: [alpha(26), beta(32, false), stable(34), locked(35)],
    fields: { PodSpec: ["resourceClaims", ...ofContainers("resources.claims")] },
  },
  EnvFiles: { states: [alpha(34), beta(35, true)], fields: { PodSpec: ofContainers("env[].valueFrom.fileKeyRef") } },
  GenericWorkload: { states: [alpha(35), beta(37, false)], fields: { PodSpec: ["schedulingGroup"] } },
  HPAConfigurableTolerance: {
    states: [alpha(33), beta(35, true), locked(37)],
    fields: { HorizontalPodAutoscaler: ["spec.behavior.scaleUp.tolerance", "spec.behavior.scaleDown.tolerance"] },
  },
  HostnameOverride: { states: [alpha(34), beta(35, true), locked(37)], fields: { PodSpec: ["hostnameOverride"] } },
  ImageVolume: {
    states: [alpha(31), beta(33, false), beta(35, true), locked(36)],
    fields: { PodSpec: ["volumes[].image"] },
  },
  JobManagedBy: { states: [alpha(30), beta(32, true), locked(35)], fields: { Job: ["spec.managedBy"] } },
  MaxUnavailableStatefulSet: {
    states: [alpha(24), beta(35, false), beta(37, true)],
    fields: { StatefulSet: ["spec.updateStrategy.rollingUpdate.maxUnavailable"] },
  },
  MutableCSINodeAllocatableCount: {
    states: [alpha(33), beta(34, false), beta(35, true), locked(36)],
    fields: { CSIDriver: ["spec.nodeAllocatableUpdatePeriodSeconds"] },
  },
  MutatingAdmissionPolicy: { states: [alpha(32), beta(34, false), stable(36)] },
  NodeDeclaredFeatures: {
    states: [alpha(35), beta(36, true), locked(37)],
    fields: { Node: ["status.declaredFeatures"] },
  },
  PodCertificateRequest: {
    states: [alpha(34), beta(35, false), stable(37)],
    fields: { PodSpec: ["volumes[].projected.sources[].podCertificate"] },
  },
  PodLevelResources: { states: [alpha(32), beta(34, true)], fields: { PodSpec: ["resources"] } },
  PodTopologyLabelsAdmission: { states: [alpha(33), beta(35, true)] },
  RelaxedServiceNameValidation: { states: [alpha(34), beta(36, true), locked(37)] },
  SELinuxChangePolicy: {
    states: [alpha(32), beta(33, true), locked(36)],
    fields: { PodSpec: ["securityContext.seLinuxChangePolicy"] },
  },
  SupplementalGroupsPolicy: {
    states: [alpha(31), beta(33, true), locked(35)],
    fields: { PodSpec: ["securityContext.supplementalGroupsPolicy"] },
  },
  VolumeAttributesClass: {
    states: [alpha(29), beta(31, false), stable(34), locked(36)],
    fields: {
      PersistentVolume: ["spec.volumeAttributesClassName"],
      PersistentVolumeClaim: ["spec.volumeAttributesClassName"],
    },
  },
};
