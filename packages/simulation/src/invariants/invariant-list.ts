import { atRestAgain } from "./liveness/at-rest-again.ts";
import { copiesAgree } from "./liveness/copies-agree.ts";
import { dependentsGo, podsGetBound, podsGo, requestsEnd } from "./liveness/in-time.ts";
import { lostNodesAreCalledSo, lostNodesAreLeft } from "./liveness/lost-nodes-leave.ts";
import { movesReported } from "./liveness/moves-reported.ts";
import { watchesSpeak } from "./liveness/watches-speak.ts";
import { brokenDevicesLeft, wholeDevicesKept } from "./devices/broken-devices.ts";
import { devicesFirst, devicesOnce } from "./devices/devices-once.ts";
import { backoffExact } from "./containers/backoff-exact.ts";
import { containersOnce, endedStaysEnded, orphansGo } from "./containers/containers-once.ts";
import { runningKept } from "./containers/running-kept.ts";
import type { Invariant, InvariantContext } from "./invariant.ts";
import { deviceClaimsGo, deviceUsersOnce, podClaimsOnce } from "./devices/claims-of-pods.ts";
import { evictionBrake } from "./nodes/eviction-brake.ts";
import { evictionsWait } from "./nodes/evictions-wait.ts";
import { fencedPodsStop } from "./nodes/fenced-pods-stop.ts";
import { nodeHostPorts, nodeRoom } from "./nodes/node-room.ts";
import { nodesAllowed } from "./nodes/nodes-allowed.ts";
import { silenceLasts } from "./nodes/silence-lasts.ts";
import { bindingsHold } from "./pods/bindings-hold.ts";
import { endpointsServe } from "./pods/endpoints-serve.ts";
import { mirrorsAgree } from "./pods/mirrors-agree.ts";
import { onlyForMoreImportant } from "./pods/only-for-more-important.ts";
import { podAddresses } from "./pods/pod-addresses.ts";
import { podsEndOnce } from "./pods/pods-end-once.ts";
import { podsEnded } from "./pods/pods-ended.ts";
import { bounded } from "./requests/bounded.ts";
import { nodesApart } from "./requests/nodes-apart.ts";
import { nodesReadTheirs } from "./requests/nodes-read-theirs.ts";
import { preconditionsHold } from "./requests/preconditions-hold.ts";
import { secretsKept } from "./requests/secrets-kept.ts";
import { collectedUnowned } from "./store/collected-unowned.ts";
import { deletionsEnd } from "./store/deletions-end.ts";
import { durable } from "./store/durable.ts";
import { namespacesClose } from "./store/namespaces-close.ts";
import { noCircle } from "./store/no-circle.ts";
import { revisionsFollow } from "./store/revisions-follow.ts";
import { uidsAreNew } from "./store/uids-are-new.ts";
import { copiesOwned, snapshotsKept } from "./volumes/snapshots-kept.ts";
import { attachedOnce, disksKept, disksOnce, disksOwned } from "./volumes/disks-once.ts";
import { autoscalerBounds } from "./workloads/autoscaler-bounds.ts";
import { autoscalerSteady } from "./workloads/autoscaler-steady.ts";
import { budgetsAgree } from "./workloads/budgets-agree.ts";
import { budgetsKept } from "./workloads/budgets-kept.ts";
import { daemonsOnce } from "./workloads/daemons-once.ts";
import { identitiesOnce } from "./workloads/identities-once.ts";
import { jobCompletions } from "./workloads/job-completions.ts";
import { movesAsked, movesKeepBudgets } from "./workloads/moves-asked.ts";
import { movesBounded, movesOneByOne } from "./workloads/moves-bounded.ts";
import { orderedStart } from "./workloads/ordered-start.ts";
import { ownedCounts } from "./workloads/owned-counts.ts";
import { quotasAgree, quotasKept } from "./workloads/quotas-kept.ts";
import { rolloutsBounded, rolloutsServe } from "./workloads/rollouts-bounded.ts";
import { scheduledOnce } from "./workloads/scheduled-once.ts";
import { timesServed } from "./workloads/times-served.ts";

/** Every invariant there is; each keeps its own memory of one cluster. */
export const invariantList: readonly ((context: InvariantContext) => Invariant)[] = [
  durable,
  revisionsFollow,
  uidsAreNew,
  preconditionsHold,
  deletionsEnd,
  namespacesClose,
  podsEnded,
  bindingsHold,
  nodeRoom,
  nodeHostPorts,
  nodesAllowed,
  ownedCounts,
  rolloutsBounded,
  rolloutsServe,
  jobCompletions,
  scheduledOnce,
  autoscalerBounds,
  autoscalerSteady,
  budgetsKept,
  quotasKept,
  movesKeepBudgets,
  movesAsked,
  movesOneByOne,
  movesBounded,
  onlyForMoreImportant,
  collectedUnowned,
  nodesApart,
  nodesReadTheirs,
  secretsKept,
  containersOnce,
  identitiesOnce,
  orderedStart,
  daemonsOnce,
  fencedPodsStop,
  disksOnce,
  attachedOnce,
  disksKept,
  podClaimsOnce,
  deviceUsersOnce,
  devicesOnce,
  devicesFirst,
  wholeDevicesKept,
  snapshotsKept,
  orphansGo,
  runningKept,
  podsEndOnce,
  endedStaysEnded,
  backoffExact,
  podAddresses,
  endpointsServe,
  evictionBrake,
  copiesAgree,
  podsGetBound,
  silenceLasts,
  evictionsWait,
  podsGo,
  dependentsGo,
  lostNodesAreCalledSo,
  lostNodesAreLeft,
  requestsEnd,
  timesServed,
  disksOwned,
  deviceClaimsGo,
  brokenDevicesLeft,
  copiesOwned,
  movesReported,
  quotasAgree,
  budgetsAgree,
  mirrorsAgree,
  watchesSpeak,
  atRestAgain,
  bounded,
  noCircle,
];
