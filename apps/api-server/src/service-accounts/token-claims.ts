import * as z from "zod";

const boundObject = z.object({ name: z.string(), uid: z.string() });

/**
 * The claims of a service account's token (pkg/serviceaccount/claims.go). Times are seconds since
 * the epoch.
 */
export const TokenClaims = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.array(z.string()),
  exp: z.number(),
  iat: z.number(),
  nbf: z.number(),
  jti: z.string(),
  "kubernetes.io": z.object({
    namespace: z.string(),
    serviceaccount: boundObject,
    pod: boundObject.optional(),
    secret: boundObject.optional(),
    node: boundObject.optional(),
  }),
});
export type TokenClaims = z.infer<typeof TokenClaims>;

export interface TokenExpectations {
  issuer: string;
  /** A token has to name one of these audiences. */
  audiences: readonly string[];
}

/** Allowed difference between the clocks of machines; upstream's leeway. */
const leewaySeconds = 60;

/**
 * Reports whether the token is currently valid here by its own claims. Whether its objects still
 * exist is not checked.
 */
export function isTimely(claims: TokenClaims, { issuer, audiences }: TokenExpectations, nowMs: number): boolean {
  const nowSeconds = nowMs / 1000;
  return (
    claims.iss === issuer &&
    claims.aud.some((audience) => audiences.includes(audience)) &&
    nowSeconds < claims.exp + leewaySeconds &&
    nowSeconds > claims.nbf - leewaySeconds
  );
}
