/** The container cannot be configured as its pod requires; the message is for the pod's author. */
export class ContainerConfigError extends Error {
  override readonly name = "ContainerConfigError";
  /** True where waiting does not help, because the pod requires something that will never exist. */
  readonly isFinal: boolean;

  constructor(message: string, options: { cause?: unknown; isFinal?: boolean } = {}) {
    super(message, options);
    this.isFinal = options.isFinal ?? false;
  }
}
