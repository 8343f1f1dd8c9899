import { isTimestamp, parseTimestamp, type Secret } from "@kintsugi/api";
import { signDetached } from "@kintsugi/pki";

const signaturePrefix = "jws-kubeconfig-";

/** A bootstrap token as its Secret says it; undefined for a Secret that is none. */
export interface StoredToken {
  readonly id: string;
  readonly secret: string;
  /** Wall time; Infinity for a token that never ends. */
  readonly endsMs: number;
  readonly signs: boolean;
}

export function storedToken({ type, data, metadata }: Secret): StoredToken | undefined {
  if (type !== "bootstrap.kubernetes.io/token") return undefined;
  const value = (key: string) => Buffer.from(data?.[key] ?? "", "base64").toString("utf8");
  const [id, secret, expiration] = [value("token-id"), value("token-secret"), value("expiration")];
  if (id === "" || secret === "" || metadata.name !== `bootstrap-token-${id}`) return undefined;
  const endsMs = expiration === "" ? Infinity : isTimestamp(expiration) ? parseTimestamp(expiration) : 0;
  return { id, secret, endsMs, signs: value("usage-bootstrap-signing") === "true" };
}

/** cluster-info's data with the signatures that the tokens give it; the same object when nothing changes. */
export function signedClusterInfo(
  data: Readonly<Record<string, string>>,
  tokens: readonly StoredToken[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const { kubeconfig } = data;
  if (kubeconfig === undefined) return data;
  const kept = Object.entries(data).filter(([key]) => !key.startsWith(signaturePrefix));
  const signatures = tokens
    .filter(({ signs, endsMs }) => signs && endsMs > nowMs)
    .map((token): [string, string] => [`${signaturePrefix}${token.id}`, signDetached(kubeconfig, token)]);
  const wanted = Object.fromEntries([...kept, ...signatures]);
  const isSame =
    Object.keys(wanted).length === Object.keys(data).length &&
    Object.entries(wanted).every(([key, value]) => data[key] === value);
  return isSame ? data : wanted;
}
