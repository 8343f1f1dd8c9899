/** The annotation of a Job with the time of the schedule for which it was started. */
export const cronJobTimeAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";
