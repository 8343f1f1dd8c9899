import { decodeBase64 } from "../../../values/base64.ts";
import { isTimestamp, parseTimestamp } from "../../../values/timestamp.ts";
import type { Secret } from "./secret.ts";

export const bootstrapTokenType = "bootstrap.kubernetes.io/token";

/** A bootstrap token as it is stored in the Secret `bootstrap-token-<id>` of kube-system. */
export interface StoredBootstrapToken {
  readonly id: string;
  readonly secret: string;
  /** Wall time; Infinity for a token that never expires. */
  readonly endsMs: number;
  /** True if the token signs the ConfigMap cluster-info. */
  readonly signs: boolean;
  /** True if the token authenticates requests. */
  readonly authenticates: boolean;
  /** The groups as written; authentication uses only the groups that upstream allows. */
  readonly extraGroups: readonly string[];
}

/**
 * Undefined for a Secret that is not a bootstrap token. An unreadable time counts as expired, as in
 * upstream.
 */
export function readBootstrapToken({ type, data, metadata }: Secret): StoredBootstrapToken | undefined {
  if (type !== bootstrapTokenType) return undefined;
  const value = (key: string) => decodeBase64(data?.[key] ?? "");
  const [id, secret, expiration] = [value("token-id"), value("token-secret"), value("expiration")];
  if (id === "" || secret === "" || metadata.name !== bootstrapTokenName(id)) return undefined;
  return {
    id,
    secret,
    endsMs: expiration === "" ? Infinity : isTimestamp(expiration) ? parseTimestamp(expiration) : 0,
    signs: value("usage-bootstrap-signing") === "true",
    authenticates: value("usage-bootstrap-authentication") === "true",
    extraGroups: value("auth-extra-groups")
      .split(",")
      .filter((group) => group !== ""),
  };
}

/** Returns the name of the token's Secret. */
export function bootstrapTokenName(id: string): string {
  return `bootstrap-token-${id}`;
}
