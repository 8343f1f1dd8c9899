/** A volume cannot be provided at the moment; the message is for the pod's author. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";
  readonly volumeName: string;

  constructor(volumeName: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.volumeName = volumeName;
  }
}
