import type { Container } from "@kintsugi/api";
import type { ContainerRuntime } from "@kintsugi/cri";
import type { Files } from "../../machine/files/files.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import { ContainerConfigError } from "../environment/config-error.ts";
import { resolveCdiDevices } from "./cdi/cdi-specs.ts";
import { criEdits, type CriDeviceParts, noDevices } from "./cdi/cri-edits.ts";
import type { DeviceClaims } from "./device-claims.ts";

export interface ContainerDevicesDeps {
  readonly claims: Pick<DeviceClaims, "cdiDevicesOf">;
  readonly runtime: Pick<ContainerRuntime, "appliesCdi">;
  readonly files: Pick<Files, "list" | "readTail">;
}

/**
 * Adds the devices of their claims to containers: by the runtime where it supports CDI, or by CRI's
 * fields.
 */
export class ContainerDevices {
  readonly #deps: ContainerDevicesDeps;
  readonly #directories: readonly string[];

  /**
   * @param options the directories of CDI specifications; a later directory takes precedence over
   * an earlier directory.
   */
  constructor(deps: ContainerDevicesDeps, options: { cdiDirectories: readonly string[] }) {
    this.#deps = deps;
    this.#directories = options.cdiDirectories;
  }

  /** @throws ContainerConfigError when a claim is not prepared, or a device cannot be applied. */
  async of(pod: BoundPod, container: Container): Promise<CriDeviceParts> {
    const { claims, runtime, files } = this.#deps;
    const ids = claims.cdiDevicesOf(pod, container);
    if (ids.length === 0) return noDevices;
    if (await runtime.appliesCdi()) return { ...noDevices, cdiDevices: ids };
    try {
      return criEdits((await resolveCdiDevices(files, { directories: this.#directories, ids })).edits);
    } catch (error) {
      throw new ContainerConfigError((error as Error).message, { cause: error });
    }
  }
}
