/** The annotation of a Job with the scheduled time for which it was started. */
export const cronJobTimeAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";
