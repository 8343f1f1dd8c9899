// The token in a Secret of type kubernetes.io/service-account-token. It has no expiration and no
// audience, and is valid while its Secret and its account exist (pkg/serviceaccount/legacy.go).

const secretTokenIssuer = "kubernetes/serviceaccount";

const prefix = "kubernetes.io/serviceaccount/";

/** The names of the claims. */
const secretTokenClaims = {
  namespace: `${prefix}namespace`,
  secretName: `${prefix}secret.name`,
  accountName: `${prefix}service-account.name`,
  accountUid: `${prefix}service-account.uid`,
} as const;

export interface SecretToken {
  namespace: string;
  secretName: string;
  accountName: string;
  accountUid: string;
}

/** The claims of the token of one Secret. */
export function claimsOfSecretToken(token: SecretToken): Record<string, string> {
  const { namespace, secretName, accountName, accountUid } = token;
  return {
    iss: secretTokenIssuer,
    [secretTokenClaims.namespace]: namespace,
    [secretTokenClaims.secretName]: secretName,
    [secretTokenClaims.accountName]: accountName,
    [secretTokenClaims.accountUid]: accountUid,
    sub: `system:serviceaccount:${namespace}:${accountName}`,
  };
}

/** Reads claims whose signature is valid; undefined for claims of another kind of token. */
export function readSecretToken(claims: unknown): SecretToken | undefined {
  if (typeof claims !== "object" || claims === null) return undefined;
  const texts = claims as Readonly<Record<string, unknown>>;
  if (texts["iss"] !== secretTokenIssuer) return undefined;
  const text = (name: string) => (typeof texts[name] === "string" ? texts[name] : "");
  const token = {
    namespace: text(secretTokenClaims.namespace),
    secretName: text(secretTokenClaims.secretName),
    accountName: text(secretTokenClaims.accountName),
    accountUid: text(secretTokenClaims.accountUid),
  };
  return Object.values(token).includes("") ? undefined : token;
}
