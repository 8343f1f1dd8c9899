/** The request cannot be met unchanged; the message names the necessary change. */
export class InvalidSpec extends Error {
  override readonly name = "InvalidSpec";
}
