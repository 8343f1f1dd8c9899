/** Labels of the pods of a Job. */
export const jobLabels = {
  name: "batch.kubernetes.io/job-name",
  uid: "batch.kubernetes.io/controller-uid",
  /** Names of the same labels that older clients select by. */
  legacyName: "job-name",
  legacyUid: "controller-uid",
} as const;

/** Annotations of the pods of an indexed Job; the index is a label too. */
export const jobAnnotations = {
  completionIndex: "batch.kubernetes.io/job-completion-index",
  /** Failures of the index before this pod, if each index has a limit. */
  indexFailures: "batch.kubernetes.io/job-index-failure-count",
  /** The same, of those that the failure policy ignores. */
  indexIgnoredFailures: "batch.kubernetes.io/job-index-ignored-failure-count",
} as const;

/** Holds a pod that has ended until its Job has counted it. */
export const jobTrackingFinalizer = "batch.kubernetes.io/job-tracking";

/** The name by which a Job can name the controller that is built in. */
export const jobControllerName = "kubernetes.io/job-controller";
