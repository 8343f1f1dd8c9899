/** The machine cannot join as it was asked to; the message says why, and what to do. */
export class JoinRefused extends Error {
  override readonly name = "JoinRefused";
}
