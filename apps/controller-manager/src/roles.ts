import { attachDetachRole } from "./controllers/attach-detach/role.ts";
import { bootstrapSignerRole, tokenCleanerRole } from "./controllers/bootstrap-tokens/role.ts";
import { certificateRole } from "./controllers/certificates/role.ts";
import { daemonSetRole } from "./controllers/daemon-set/role.ts";
import { clusterRoleAggregationRole } from "./controllers/cluster-role-aggregation/role.ts";
import { cronJobRole } from "./controllers/cron-job/role.ts";
import { deploymentRole } from "./controllers/deployment/role.ts";
import { deviceTaintEvictionRole } from "./controllers/device-taint-eviction/role.ts";
import { disruptionRole } from "./controllers/disruption/role.ts";
import { endpointSliceRole } from "./controllers/endpoint-slice/role.ts";
import { endpointSliceMirroringRole } from "./controllers/endpoint-slice-mirroring/role.ts";
import { endpointsRole } from "./controllers/endpoints/role.ts";
import { ephemeralVolumeRole } from "./controllers/ephemeral-volume/role.ts";
import { garbageCollectorRole } from "./controllers/garbage-collector/role.ts";
import { horizontalPodAutoscalerRole } from "./controllers/horizontal-pod-autoscaler/role.ts";
import { jobRole } from "./controllers/job/role.ts";
import { namespaceRole } from "./controllers/namespace/role.ts";
import { persistentVolumeBinderRole } from "./controllers/persistent-volume-binder/role.ts";
import { podGcRole } from "./controllers/pod-gc/role.ts";
import { pvProtectionRole } from "./controllers/pv-protection/role.ts";
import { pvcProtectionRole } from "./controllers/pvc-protection/role.ts";
import { rebalanceRole } from "./controllers/rebalance/role.ts";
import { replicaSetRole } from "./controllers/replica-set/role.ts";
import { replicationRole } from "./controllers/replication/role.ts";
import { resourceClaimRole } from "./controllers/resource-claim/role.ts";
import { resourceQuotaRole } from "./controllers/resource-quota/role.ts";
import { rootCaRole } from "./controllers/root-ca-cert-publisher/role.ts";
import { serviceAccountRole } from "./controllers/service-account/role.ts";
import { serviceAccountTokenRole } from "./controllers/service-account-token/role.ts";
import { serviceCidrsRole } from "./controllers/service-cidrs/role.ts";
import { ttlAfterFinishedRole } from "./controllers/ttl-after-finished/role.ts";
import { vacProtectionRole } from "./controllers/vac-protection/role.ts";
import { statefulSetRole } from "./controllers/stateful-set/role.ts";
import type { ControllerRole } from "./shared/roles/controller-role.ts";
import { nodeControllerRole } from "./shared/roles/node-controller-role.ts";
import { podEvictionRole } from "./shared/roles/pod-eviction-role.ts";

export type { ControllerRole };

/**
 * The roles of all controllers, without importing their code. The API server derives its bootstrap
 * policy from them.
 */
export const controllerRoles: readonly ControllerRole[] = [
  bootstrapSignerRole,
  tokenCleanerRole,
  certificateRole,
  clusterRoleAggregationRole,
  daemonSetRole,
  deploymentRole,
  disruptionRole,
  endpointSliceRole,
  endpointSliceMirroringRole,
  endpointsRole,
  garbageCollectorRole,
  horizontalPodAutoscalerRole,
  jobRole,
  cronJobRole,
  namespaceRole,
  persistentVolumeBinderRole,
  attachDetachRole,
  ephemeralVolumeRole,
  pvcProtectionRole,
  pvProtectionRole,
  vacProtectionRole,
  podGcRole,
  rebalanceRole,
  replicaSetRole,
  replicationRole,
  resourceClaimRole,
  deviceTaintEvictionRole,
  resourceQuotaRole,
  rootCaRole,
  serviceAccountRole,
  serviceAccountTokenRole,
  serviceCidrsRole,
  ttlAfterFinishedRole,
  statefulSetRole,
  nodeControllerRole,
  podEvictionRole,
];
