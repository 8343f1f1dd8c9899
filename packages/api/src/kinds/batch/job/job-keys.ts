/** Labels of the pods of a Job. */
export const jobLabels = {
  name: "batch.kubernetes.io/job-name",
  uid: "batch.kubernetes.io/controller-uid",
  /** Names of the same labels by which older clients select. */
  legacyName: "job-name",
  legacyUid: "controller-uid",
} as const;

/** Annotations of the pods of an indexed Job; the index is a label too. */
export const jobAnnotations = {
  completionIndex: "batch.kubernetes.io/job-completion-index",
  /** Failures of the index before this pod, if each index has a limit. */
  indexFailures: "batch.kubernetes.io/job-index-failure-count",
  /** Failures of the index that the failure policy ignores. */
  indexIgnoredFailures: "batch.kubernetes.io/job-index-ignored-failure-count",
} as const;

/** The finalizer that retains a terminated pod until its Job has counted it. */
export const jobTrackingFinalizer = "batch.kubernetes.io/job-tracking";

/** The name by which a Job can refer to the built-in controller. */
export const jobControllerName = "kubernetes.io/job-controller";
