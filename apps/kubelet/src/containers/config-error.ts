/** The container cannot be configured as its pod says; the message is for whoever wrote the pod. */
export class ContainerConfigError extends Error {
  override readonly name = "ContainerConfigError";
}
