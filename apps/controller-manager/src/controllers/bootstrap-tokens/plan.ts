import { sameJson, type StoredBootstrapToken } from "@kintsugi/api";
import { signDetached } from "@kintsugi/pki";

const signaturePrefix = "jws-kubeconfig-";

/** cluster-info's data with the signatures of the tokens; the same object when nothing changes. */
export function signedClusterInfo(
  data: Readonly<Record<string, string>>,
  tokens: readonly StoredBootstrapToken[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const { kubeconfig } = data;
  if (kubeconfig === undefined) return data;
  const kept = Object.entries(data).filter(([key]) => !key.startsWith(signaturePrefix));
  const signatures = tokens
    .filter(({ signs, endsMs }) => signs && endsMs > nowMs)
    .map((token): [string, string] => [`${signaturePrefix}${token.id}`, signDetached(kubeconfig, token)]);
  const wanted = Object.fromEntries([...kept, ...signatures]);
  return sameJson(wanted, data) ? data : wanted;
}
