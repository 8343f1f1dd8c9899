/** The annotation of a Job with the scheduled time that it was started for. */
export const cronJobTimeAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";
