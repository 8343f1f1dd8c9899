/** The container cannot be configured as its pod says; the message is for whoever wrote the pod. */
export class ContainerConfigError extends Error {
  override readonly name = "ContainerConfigError";
  /** It is not that something is missing: what is asked for will never be there. */
  readonly isFinal: boolean;

  constructor(message: string, options: { cause?: unknown; isFinal?: boolean } = {}) {
    super(message, options);
    this.isFinal = options.isFinal ?? false;
  }
}
