import type { PeerCertificate } from "node:tls";

export interface ClientIdentity {
  name: string;
  groups: readonly string[];
  /** The uid of a client with a token. */
  uid?: string;
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** Returns the client that a verified certificate names: its common name and its organizations. */
export function clientIdentity(certificate: PeerCertificate): ClientIdentity | undefined {
  const { CN, O } = certificate.subject ?? {};
  const name = Array.isArray(CN) ? CN[0] : CN;
  if (!name) return undefined;
  return { name, groups: O === undefined ? [] : Array.isArray(O) ? O : [O] };
}
