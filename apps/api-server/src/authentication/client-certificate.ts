import type { PeerCertificate } from "node:tls";
import { parseTimestamp } from "@kintsugi/api";
import type { UserInfo } from "../authorization/authorization.ts";

/**
 * The parts of a TLS connection that are read. Both a socket and HTTP/2's view of a socket have
 * these parts.
 */
export interface CertifiedConnection {
  authorized: boolean;
  getPeerCertificate(): Partial<PeerCertificate>;
}

/** The user that a certificate names, and the time at which it expires. */
export interface CertifiedIdentity {
  user: UserInfo;
  notAfterMs: number;
}

/**
 * The identity in a client certificate that the cluster's CA signed: the common name is the user,
 * organizations are groups. `undefined` without a certificate, or for a certificate of another CA
 * or without a name.
 */
export function certifiedIdentityOf(connection: CertifiedConnection): CertifiedIdentity | undefined {
  if (!connection.authorized) return undefined;
  const { subject, valid_to } = connection.getPeerCertificate();
  if (subject === undefined || valid_to === undefined || typeof subject.CN !== "string" || subject.CN === "") {
    return undefined;
  }
  const organizations: readonly string[] = subject.O === undefined ? [] : [subject.O].flat();
  return { user: { name: subject.CN, groups: organizations }, notAfterMs: certificateTimeMs(valid_to) };
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** OpenSSL's form: "Nov 21 00:14:00 2036 GMT". Any other form counts as expired. */
function certificateTimeMs(text: string): number {
  const match = /^([A-Z][a-z]{2}) +(\d{1,2}) (\d{2}:\d{2}:\d{2}) (\d{4}) GMT$/.exec(text);
  if (match === null) return 0;
  const [, month = "", day = "", time = "", year = ""] = match;
  const number = months.indexOf(month) + 1;
  if (number === 0) return 0;
  return parseTimestamp(`${year}-${String(number).padStart(2, "0")}-${day.padStart(2, "0")}T${time}Z`);
}
