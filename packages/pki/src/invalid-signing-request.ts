/** The text is no request for a certificate, or one that must not be signed. */
export class InvalidSigningRequest extends Error {
  override readonly name = "InvalidSigningRequest";
}
