import type { Secret, ServiceAccount } from "@kintsugi/api";

const tokenSecretType = "kubernetes.io/service-account-token";
const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";

export type TokenSecretPlan = { do: "nothing" } | { do: "delete" } | { do: "update"; secret: Secret };

export interface TokenSecretInputs {
  /** The account that the Secret names; undefined if it does not exist. */
  account: ServiceAccount | undefined;
  /** The certificate authority of the API server, PEM; "" where it is not known. */
  rootCa: string;
  /** Signs a token for the Secret and the account. */
  sign: (secret: Secret, account: ServiceAccount) => string;
}

/** The name of the Secret's account; undefined if the Secret does not have a token. */
export function accountNameOf({ type, metadata }: Secret): string | undefined {
  const name = metadata.annotations?.[nameAnnotation] ?? "";
  return type === tokenSecretType && name !== "" ? name : undefined;
}

/**
 * Plans the step for a Secret: it gets the token, the certificate authority and the namespace, and
 * is deleted with its account (upstream: tokens_controller.go).
 */
export function planTokenSecret(secret: Secret, { account, rootCa, sign }: TokenSecretInputs): TokenSecretPlan {
  const { metadata, data = {} } = secret;
  if (accountNameOf(secret) === undefined || metadata.deletionTimestamp !== undefined) return { do: "nothing" };
  const uid = metadata.annotations?.[uidAnnotation] ?? "";
  const isOfOther = uid !== "" && uid !== account?.metadata.uid;
  if (account === undefined || isOfOther) return { do: "delete" };
  // Like upstream, never fills an immutable Secret.
  if (secret.immutable === true) return { do: "nothing" };
  const wanted = {
    ...data,
    ...(rootCa === "" ? {} : { "ca.crt": base64(rootCa) }),
    namespace: (data["namespace"] ?? "") === "" ? base64(metadata.namespace ?? "") : data["namespace"],
    token: (data["token"] ?? "") === "" ? base64(sign(secret, account)) : data["token"],
  } as Record<string, string>;
  const isWhole = uid !== "" && Object.entries(wanted).every(([key, value]) => data[key] === value);
  if (isWhole) return { do: "nothing" };
  const annotations = { ...metadata.annotations, [uidAnnotation]: account.metadata.uid ?? "" };
  return { do: "update", secret: { ...secret, metadata: { ...metadata, annotations }, data: wanted } };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
