import { attachDetachController } from "./controllers/attach-detach/controller.ts";
import { bootstrapTokenController } from "./controllers/bootstrap-tokens/controller.ts";
import { certificateController } from "./controllers/certificates/controller.ts";
import { daemonSetController } from "./controllers/daemon-set/controller.ts";
import { clusterRoleAggregationController } from "./controllers/cluster-role-aggregation/controller.ts";
import { cronJobController } from "./controllers/cron-job/controller.ts";
import { deploymentController } from "./controllers/deployment/controller.ts";
import { deviceTaintEvictionController } from "./controllers/device-taint-eviction/controller.ts";
import { disruptionController } from "./controllers/disruption/controller.ts";
import { endpointSliceController } from "./controllers/endpoint-slice/controller.ts";
import { endpointSliceMirroringController } from "./controllers/endpoint-slice-mirroring/controller.ts";
import { endpointsController } from "./controllers/endpoints/controller.ts";
import { escalationController } from "./controllers/escalation/controller.ts";
import { ephemeralVolumeController } from "./controllers/ephemeral-volume/controller.ts";
import { garbageCollector } from "./controllers/garbage-collector/controller.ts";
import { horizontalPodAutoscalerController } from "./controllers/horizontal-pod-autoscaler/controller.ts";
import { jobController } from "./controllers/job/controller.ts";
import { namespaceController } from "./controllers/namespace/controller.ts";
import { nodeIpamController } from "./controllers/node-ipam/controller.ts";
import { nodeLifecycleController } from "./controllers/node-lifecycle/controller.ts";
import { persistentVolumeBinderController } from "./controllers/persistent-volume-binder/controller.ts";
import { podGc } from "./controllers/pod-gc/controller.ts";
import { pvProtectionController } from "./controllers/pv-protection/controller.ts";
import { pvcProtectionController } from "./controllers/pvc-protection/controller.ts";
import { rebalanceController } from "./controllers/rebalance/controller.ts";
import { replicaSetController } from "./controllers/replica-set/controller.ts";
import { replicationController } from "./controllers/replication/controller.ts";
import { resourceClaimController } from "./controllers/resource-claim/controller.ts";
import { resourceQuotaController } from "./controllers/resource-quota/controller.ts";
import { rootCaCertPublisher } from "./controllers/root-ca-cert-publisher/controller.ts";
import { serviceAccountController } from "./controllers/service-account/controller.ts";
import { serviceAccountTokenController } from "./controllers/service-account-token/controller.ts";
import { serviceCidrsController } from "./controllers/service-cidrs/controller.ts";
import { statefulSetController } from "./controllers/stateful-set/controller.ts";
import { taintEvictionController } from "./controllers/taint-eviction/controller.ts";
import { ttlAfterFinishedController } from "./controllers/ttl-after-finished/controller.ts";
import { vacProtectionController } from "./controllers/vac-protection/controller.ts";

/**
 * All controllers. A controller is left out if its dependencies are missing. Each controller is
 * made once per term as leader.
 */
export const controllers = [
  nodeLifecycleController,
  nodeIpamController,
  taintEvictionController,
  escalationController,
  deploymentController,
  replicaSetController,
  replicationController,
  jobController,
  cronJobController,
  ttlAfterFinishedController,
  statefulSetController,
  daemonSetController,
  disruptionController,
  horizontalPodAutoscalerController,
  rebalanceController,
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
  persistentVolumeBinderController,
  attachDetachController,
  ephemeralVolumeController,
  pvcProtectionController,
  pvProtectionController,
  resourceClaimController,
  deviceTaintEvictionController,
  vacProtectionController,
  resourceQuotaController,
  clusterRoleAggregationController,
  podGc,
  garbageCollector,
  namespaceController,
  serviceAccountController,
  serviceAccountTokenController,
  serviceCidrsController,
  rootCaCertPublisher,
  certificateController,
  bootstrapTokenController,
] as const;
