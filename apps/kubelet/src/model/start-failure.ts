/** The reason why a container could not be started, as `state.waiting` shows it. */
export interface StartFailure {
  /**
   * "CrashLoopBackOff", "ErrImagePull", "ImagePullBackOff", "CreateContainerError",
   * "RunContainerError", …
   */
  reason: string;
  message: string;
}
