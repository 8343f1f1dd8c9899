/** The request cannot be met as it stands; the message says what to change. */
export class InvalidSpec extends Error {
  override readonly name = "InvalidSpec";
}
