import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";

interface ExpectedName {
  readonly servername?: string;
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
}

/**
 * Returns the options of a TLS connection whose server proves a name or an address. An address is
 * only compared with the certificate, because the server name indication does not contain addresses
 * (RFC 6066, section 3). Node.js 26 rejects them.
 * @param name If it is undefined, the certificate must have the host of the connection.
 */
export function expectedName(name: string | undefined): ExpectedName {
  if (name === undefined) return {};
  if (isIP(name) === 0) return { servername: name };
  return { servername: "", checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate) };
}
