import { queuesDrain } from "./liveness/queues-drain.ts";
import { copiesAgree } from "./liveness/copies-agree.ts";
import {
  dependentsAreRemoved,
  podsAreBoundInTime,
  deletedPodsAreRemoved,
  requestsAreAnswered,
} from "./liveness/in-time.ts";
import { lostNodesBecomeUnready, lostNodesAreEvicted } from "./liveness/lost-nodes-leave.ts";
import { movesAreReported } from "./liveness/moves-are-reported.ts";
import { watchesHaveBookmarks } from "./liveness/watches-have-bookmarks.ts";
import { brokenDevicesAreEvicted, workingDevicesKeepTheirPods } from "./devices/broken-devices.ts";
import { podsWaitForTheirDevices, devicesAreAllocatedOnce } from "./devices/devices-once.ts";
import { restartsFollowBackOff } from "./containers/restarts-follow-back-off.ts";
import {
  containersRunOnce,
  endedContainersStayEnded,
  orphanedContainersAreRemoved,
} from "./containers/containers-once.ts";
import { runningContainersAreKept } from "./containers/running-containers-are-kept.ts";
import type { Invariant, InvariantContext } from "./invariant.ts";
import { deviceClaimsAreReleased, devicesAreUsedOnce, deviceClaimsAreMadeOnce } from "./devices/claims-of-pods.ts";
import { evictionsAreRateLimited } from "./nodes/evictions-are-rate-limited.ts";
import { evictionsWaitForTolerations } from "./nodes/evictions-wait-for-tolerations.ts";
import { fencedPodsStop } from "./nodes/fenced-pods-stop.ts";
import { hostPortsAreUnique, nodesAreNotOvercommitted } from "./nodes/node-room.ts";
import { podsAreBoundToAllowedNodes } from "./nodes/pods-are-bound-to-allowed-nodes.ts";
import { silenceLastsTheGracePeriod } from "./nodes/silence-lasts-the-grace-period.ts";
import { bindingsHold } from "./pods/bindings-hold.ts";
import { readyEndpointsServe } from "./pods/ready-endpoints-serve.ts";
import { mirroredEndpointsAgree } from "./pods/mirrored-endpoints-agree.ts";
import { preemptorsAreMoreImportant } from "./pods/preemptors-are-more-important.ts";
import { podAddressesAreUnique } from "./pods/pod-addresses-are-unique.ts";
import { endedPodsStayEnded } from "./pods/ended-pods-stay-ended.ts";
import { containersEndBeforeTheirPod } from "./pods/containers-end-before-their-pod.ts";
import { stateIsBounded } from "./requests/state-is-bounded.ts";
import { nodesWriteTheirOwnObjects } from "./requests/nodes-write-their-own-objects.ts";
import { nodesReadTheirOwnObjects } from "./requests/nodes-read-their-own-objects.ts";
import { preconditionsHold } from "./requests/preconditions-hold.ts";
import { secretsAreConfidential } from "./requests/secrets-are-confidential.ts";
import { ownedObjectsAreKept } from "./store/owned-objects-are-kept.ts";
import { deletionsAreFinal } from "./store/deletions-are-final.ts";
import { writesAreDurable } from "./store/writes-are-durable.ts";
import { terminatingNamespacesStayClosed } from "./store/terminating-namespaces-stay-closed.ts";
import { noWriteLoops } from "./store/no-write-loops.ts";
import { revisionsRise } from "./store/revisions-rise.ts";
import { uidsAreUnique } from "./store/uids-are-unique.ts";
import { unownedCopiesAreRemoved, snapshotsAreKept } from "./volumes/snapshots-kept.ts";
import {
  disksAreAttachedOnce,
  claimedDisksAreKept,
  disksAreUsedOnce,
  unownedDisksAreRemoved,
} from "./volumes/disks-once.ts";
import { autoscalersStayWithinBounds } from "./workloads/autoscalers-stay-within-bounds.ts";
import { autoscalersStabilize } from "./workloads/autoscalers-stabilize.ts";
import { budgetsCountCorrectly } from "./workloads/budgets-count-correctly.ts";
import { evictionsRespectBudgets } from "./workloads/evictions-respect-budgets.ts";
import { daemonsRunOnce } from "./workloads/daemons-run-once.ts";
import { identitiesRunOnce } from "./workloads/identities-run-once.ts";
import { successesCountOnce } from "./workloads/successes-count-once.ts";
import { movesArePermitted, movesRespectBudgets } from "./workloads/moves-asked.ts";
import { movesAreLimited, movesRunOneByOne } from "./workloads/moves-bounded.ts";
import { orderedPodsStartInOrder } from "./workloads/ordered-pods-start-in-order.ts";
import { ownersHaveNoSurplusPods } from "./workloads/owners-have-no-surplus-pods.ts";
import { quotasCountCorrectly, createsRespectQuotas } from "./workloads/quotas-kept.ts";
import { rolloutsStayWithinSurge, rolloutsKeepAvailablePods } from "./workloads/rollouts-bounded.ts";
import { scheduledTimesHaveOneJob } from "./workloads/scheduled-times-have-one-job.ts";
import { scheduledTimesAreServed } from "./workloads/scheduled-times-are-served.ts";

/** All invariants; each has its own memory of one cluster. */
export const invariantList: readonly ((context: InvariantContext) => Invariant)[] = [
  writesAreDurable,
  revisionsRise,
  uidsAreUnique,
  preconditionsHold,
  deletionsAreFinal,
  terminatingNamespacesStayClosed,
  containersEndBeforeTheirPod,
  bindingsHold,
  nodesAreNotOvercommitted,
  hostPortsAreUnique,
  podsAreBoundToAllowedNodes,
  ownersHaveNoSurplusPods,
  rolloutsStayWithinSurge,
  rolloutsKeepAvailablePods,
  successesCountOnce,
  scheduledTimesHaveOneJob,
  autoscalersStayWithinBounds,
  autoscalersStabilize,
  evictionsRespectBudgets,
  createsRespectQuotas,
  movesRespectBudgets,
  movesArePermitted,
  movesRunOneByOne,
  movesAreLimited,
  preemptorsAreMoreImportant,
  ownedObjectsAreKept,
  nodesWriteTheirOwnObjects,
  nodesReadTheirOwnObjects,
  secretsAreConfidential,
  containersRunOnce,
  identitiesRunOnce,
  orderedPodsStartInOrder,
  daemonsRunOnce,
  fencedPodsStop,
  disksAreUsedOnce,
  disksAreAttachedOnce,
  claimedDisksAreKept,
  deviceClaimsAreMadeOnce,
  devicesAreUsedOnce,
  devicesAreAllocatedOnce,
  podsWaitForTheirDevices,
  workingDevicesKeepTheirPods,
  snapshotsAreKept,
  orphanedContainersAreRemoved,
  runningContainersAreKept,
  endedPodsStayEnded,
  endedContainersStayEnded,
  restartsFollowBackOff,
  podAddressesAreUnique,
  readyEndpointsServe,
  evictionsAreRateLimited,
  copiesAgree,
  podsAreBoundInTime,
  silenceLastsTheGracePeriod,
  evictionsWaitForTolerations,
  deletedPodsAreRemoved,
  dependentsAreRemoved,
  lostNodesBecomeUnready,
  lostNodesAreEvicted,
  requestsAreAnswered,
  scheduledTimesAreServed,
  unownedDisksAreRemoved,
  deviceClaimsAreReleased,
  brokenDevicesAreEvicted,
  unownedCopiesAreRemoved,
  movesAreReported,
  quotasCountCorrectly,
  budgetsCountCorrectly,
  mirroredEndpointsAgree,
  watchesHaveBookmarks,
  queuesDrain,
  stateIsBounded,
  noWriteLoops,
];
