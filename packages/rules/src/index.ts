export {
  bindCompletedAnnotation,
  boundByControllerAnnotation,
  provisionedByAnnotation,
  provisionerAnnotations,
  selectedNodeAnnotation,
} from "./volumes/claim-annotations.ts";
export {
  attributesClassesOf,
  type ModificationState,
  type ModificationStep,
  modificationWanted,
  withModification,
  withModified,
} from "./volumes/claim-modification.ts";
export {
  type GrowthState,
  growthStateOf,
  type GrowthStep,
  growthWanted,
  withGrowth,
  withGrownSize,
} from "./volumes/claim-growth.ts";
export { type CronJobNote, jobNameOf, lastStartedMs, planSchedule, startedForMs } from "./cron-job-due.ts";
export { judgeEligibility } from "./daemon-eligibility.ts";
export { withDaemonTolerations } from "./daemon-tolerations.ts";
export { evictionsPausedCondition, pauseOf, saysPaused, withEvictionsPaused } from "./evictions-paused.ts";
export { type Failures, finishedMs, nextFailures, noFailures, waitMs } from "./job-backoff.ts";
export {
  type ClaimConsumer,
  claimConsumersMax,
  claimOfEntry,
  deviceClaimFinalizer,
  type EntryClaim,
  isDeviceClaimOf,
  isDoneWithClaims,
  isPodConsumer,
  isReservedForPod,
  podClaimNameAnnotation,
  type PodResourceClaimEntry,
} from "./device-claims.ts";
export {
  type AllocatedTaint,
  deviceId,
  planDeviceEviction,
  taintedForMs,
  toleratesDeviceTaint,
} from "./device-taints.ts";
export { findForbiddenLabelChanges, isForbiddenToKubelets } from "./kubelet-labels.ts";
export { findBestVolume, isReservedFor, mismatchOf } from "./volumes/match-volume.ts";
export { type Amounts, describeAmounts, parseAmounts, wholeQuantity } from "./quota/amounts.ts";
export { checkQuotas, type KnownQuota, limitedNames, type QuotaWrite } from "./quota/check-quota.ts";
export { countName, isCountedKind, kindOfQuotaName } from "./quota/quota-names.ts";
export { type QuotaUsage, quotaUsageOf, withoutEnded } from "./quota/quota-usage.ts";
export { UsageTotal } from "./quota/usage-total.ts";
export * from "./roles/access-roles.ts";
export type { ControllerRole } from "./roles/controller-role.ts";
export { controllerRoles } from "./roles/controller-roles.ts";
export * from "./roles/network-roles.ts";
export * from "./roles/node-roles.ts";
export * from "./roles/object-roles.ts";
export * from "./roles/storage-roles.ts";
export * from "./roles/workload-roles.ts";
export { crashLoopBackoffMs, crashLoopMessage } from "./crash-loop-message.ts";
export { isSilent, planWaiting, silentNodeRemedies, waitingForNodeCondition } from "./silent-node.ts";
export { exposedForMs, type ExposedSince, planEviction, troubleOf } from "./taint-eviction.ts";
export { type Disruption, planDisruption, ZoneCounts, type ZoneOptions, zoneOf } from "./zones.ts";
