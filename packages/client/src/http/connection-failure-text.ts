/** Node.js's codes of certificates outside of their time. */
const outsideOfTime = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);

/**
 * The reason why a request did not get a response. For a certificate outside of its validity, the
 * text also suspects this machine's clock, which is wrong more often than a certificate is too old.
 */
export function connectionFailureText({ message, code }: NodeJS.ErrnoException): string {
  return outsideOfTime.has(code ?? "")
    ? `${message}, by the clock of this machine: compare it with the server's clock, or renew the certificate`
    : message;
}
