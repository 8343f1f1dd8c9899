/** The machine cannot join; the message has the reason and the remedy. */
export class JoinRefused extends Error {
  override readonly name = "JoinRefused";
}
