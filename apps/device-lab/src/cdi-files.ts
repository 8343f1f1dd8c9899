import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeWhole } from "@kintsugi/daemon";
import { type LabDevices, indexOfDevice } from "./plan-slices.ts";

export interface CdiDevice {
  readonly device: string;
  /** The file that represents the device on the host. */
  readonly file: string;
}

/** The directory of a container with its devices. */
const inContainer = "/dev/lab";

/** The driver's CDI specifications: one file for each prepared claim. */
export class CdiFiles {
  readonly #directory: string;
  readonly #devices: LabDevices;

  constructor(directory: string, devices: LabDevices) {
    this.#directory = directory;
    this.#devices = devices;
  }

  /**
   * Returns the CDI name of a claim's device, so that a container only gets the devices of its own
   * claims.
   */
  idOf(claimUid: string, device: string): string {
    return `${this.#kind}=${claimUid}-${device}`;
  }

  async put(claimUid: string, devices: readonly CdiDevice[]): Promise<void> {
    const spec = {
      cdiVersion: "0.3.0",
      kind: this.#kind,
      devices: devices.map(({ device, file }) => ({
        name: `${claimUid}-${device}`,
        containerEdits: {
          env: [`LAB_DEVICE_${indexOfDevice(device, this.#devices)}=${inContainer}/${device}`],
          mounts: [{ hostPath: file, containerPath: `${inContainer}/${device}`, options: ["bind", "rw"] }],
        },
      })),
    };
    await mkdir(this.#directory, { recursive: true, mode: 0o755 });
    await writeWhole(this.#path(claimUid), JSON.stringify(spec));
  }

  async remove(claimUid: string): Promise<void> {
    await rm(this.#path(claimUid), { force: true });
  }

  get #kind(): string {
    return `${this.#devices.driverName}/device`;
  }

  #path(claimUid: string): string {
    return join(this.#directory, `${this.#devices.driverName}-${claimUid}.json`);
  }
}
