/** The delays between tries. */
export interface BackoffOptions {
  initialMs: number;
  maxMs: number;
  /** Each further failure multiplies the delay by this factor. */
  factor: number;
}

/**
 * The delay before try number `failures` + 1: 0 before the first try, then initial, initial ×
 * factor, … up to max.
 */
export function backoffDelayMs(failures: number, options: BackoffOptions): number {
  if (failures <= 0) return 0;
  return Math.min(options.maxMs, options.initialMs * options.factor ** (failures - 1));
}
