/** Node.js's codes of certificates outside of their time. */
const outsideOfTime = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);

/**
 * The reason why a request got no response. A certificate is rarely too old, and a machine's clock
 * is often wrong.
 */
export function connectionFailureText({ message, code }: NodeJS.ErrnoException): string {
  return outsideOfTime.has(code ?? "")
    ? `${message}, by the clock of this machine: compare it with the server's clock, or renew the certificate`
    : message;
}
