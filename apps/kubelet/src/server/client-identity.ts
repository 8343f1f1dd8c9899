import type { PeerCertificate } from "node:tls";

export interface ClientIdentity {
  name: string;
  groups: readonly string[];
}

/** Who a verified client certificate says that the client is: its common name and its organizations. */
export function clientIdentity(certificate: PeerCertificate): ClientIdentity | undefined {
  const { CN, O } = certificate.subject ?? {};
  const name = Array.isArray(CN) ? CN[0] : CN;
  if (!name) return undefined;
  return { name, groups: O === undefined ? [] : Array.isArray(O) ? O : [O] };
}

/** What the server offers, from harmless to powerful. */
export type ServerScope = "health" | "metrics" | "pods" | "logs" | "streams";

/** The API server asks on behalf of its users, whom it has authorized; nobody else may read pods or logs here. */
const apiServerName = "kube-apiserver-kubelet-client";

export function isAllowed(identity: ClientIdentity, scope: ServerScope): boolean {
  if (identity.name === apiServerName || identity.groups.includes("system:masters")) return true;
  return scope === "health" || (scope === "metrics" && identity.groups.includes("system:monitoring"));
}
