export interface IssuedToken {
  token: string;
  /** Wall time. */
  expiresAtMs: number;
  /** The time between its issue and its end. */
  validMs: number;
}

/** A token that lives longer than this is replaced at this age all the same. */
const ageMaxMs = 24 * 60 * 60 * 1000;
const lifeUsedMax = 0.8;
/** Renewals of a node's tokens are spread by up to this much. */
export const refreshJitterMaxMs = 10_000;

/**
 * Reports whether it is time for another token: at four fifths of its life, after a day, or when it
 * seems to come from the future because the machine's clock was set back (token_manager.go
 * requiresRefresh). `jitterMs` makes it that much earlier.
 */
export function needsRefresh({ expiresAtMs, validMs }: IssuedToken, nowMs: number, jitterMs: number): boolean {
  const issuedAtMs = expiresAtMs - validMs;
  const ageMs = nowMs - issuedAtMs;
  return ageMs < 0 || ageMs > Math.min(ageMaxMs, validMs * lifeUsedMax) - jitterMs;
}

export function isExpired({ expiresAtMs }: IssuedToken, nowMs: number): boolean {
  return nowMs > expiresAtMs;
}
