import type { Volume } from "@kintsugi/api";
import { ContainerConfigError } from "../../environment/config-error.ts";

/** Returns the error of a volume that this kubelet will never provide. */
export function unsupportedVolume(volume: Volume, feature: string): ContainerConfigError {
  return new ContainerConfigError(`Volume "${volume.name}": ${feature} is not supported by this kubelet`, {
    isFinal: true,
  });
}
