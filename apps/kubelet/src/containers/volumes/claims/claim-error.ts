import { VolumeError } from "../volume-error.ts";

/**
 * Returns the error of a volume whose claim has no usable PersistentVolume, in the words of
 * upstream's volume manager (WaitForAttachAndMount).
 */
export function unprocessable(volumeName: string, message: string, cause?: unknown): VolumeError {
  const unmounted = `unmounted volumes=[${volumeName}], unattached volumes=[], failed to process volumes=[${volumeName}]`;
  return new VolumeError(volumeName, `Unable to attach or mount volumes: ${unmounted}: ${message}`, { cause });
}
