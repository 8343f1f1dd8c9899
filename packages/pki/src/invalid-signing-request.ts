/** The text is not a request for a certificate, or the request must not be signed. */
export class InvalidSigningRequest extends Error {
  override readonly name = "InvalidSigningRequest";
}
