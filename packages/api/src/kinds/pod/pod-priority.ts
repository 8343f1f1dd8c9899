/** From here on the cluster itself needs a pod (scheduling.SystemCriticalPriority: 2 × HighestUserDefinablePriority). */
export const systemCriticalPriority = 2_000_000_000;
