export interface IssuedToken {
  token: string;
  /** Wall time. */
  expiresAtMs: number;
  /** The time between its issue and its expiry. */
  validMs: number;
}

/** A token with a longer life is still replaced at this age. */
const ageMaxMs = 24 * 60 * 60 * 1000;
const lifeUsedMax = 0.8;
/** Jitter by which renewals of a node's tokens are spread. */
export const refreshJitterMaxMs = 10_000;

/**
 * Reports whether the token has to be replaced: at four fifths of its life, after a day, or when it
 * seems to come from the future because the machine's clock was set back (token_manager.go
 * requiresRefresh). The replacement is `jitterMs` earlier.
 */
export function needsRefresh({ expiresAtMs, validMs }: IssuedToken, nowMs: number, jitterMs: number): boolean {
  const issuedAtMs = expiresAtMs - validMs;
  const ageMs = nowMs - issuedAtMs;
  return ageMs < 0 || ageMs > Math.min(ageMaxMs, validMs * lifeUsedMax) - jitterMs;
}

export function isExpired({ expiresAtMs }: IssuedToken, nowMs: number): boolean {
  return nowMs > expiresAtMs;
}
