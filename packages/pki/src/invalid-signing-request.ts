/** What was sent is no request for a certificate, or one that nobody may sign. */
export class InvalidSigningRequest extends Error {
  override readonly name = "InvalidSigningRequest";
}
