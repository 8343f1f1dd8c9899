/** A source that a rehearsal cannot use; the message is complete without a stack. */
export class UnreadableSource extends Error {
  override readonly name = "UnreadableSource";
}
