/** How long to wait before the next try. */
export interface BackoffOptions {
  initialMs: number;
  maxMs: number;
  /** What each further failure multiplies the delay by. */
  factor: number;
}

/**
 * The delay before try number `failures` + 1: nothing before the first, then initial, initial ×
 * factor, … up to max.
 */
export function backoffDelayMs(failures: number, options: BackoffOptions): number {
  if (failures <= 0) return 0;
  return Math.min(options.maxMs, options.initialMs * options.factor ** (failures - 1));
}
