import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CallFault } from "@kintsugi/grpc";
import type { DeviceCallName } from "@kintsugi/dra";
import { readJson, writeWhole } from "@kintsugi/daemon";

// The directory of a node's devices:
//
//   devices/<device>        the device itself: a file that containers get under /dev/lab
//   claims/<UID>.json       the devices of a claim while it is prepared
//   faults.json             faults injected into calls: {"nodePrepareResources": {"hangs": true}},
//                           and broken devices: {"broken": ["device-1"]}

/** A claim that is prepared. */
export interface PreparedRecord {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly devices: readonly { readonly device: string; readonly request: string }[];
}

/** The UIDs of claims become parts of paths. */
const uidForm = /^[A-Za-z0-9-]{1,64}$/;

export class DeviceFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns the path of a device's file, which is created when it is missing. */
  async device(name: string): Promise<string> {
    const path = join(this.#directory, "devices", name);
    await mkdir(join(path, ".."), { recursive: true, mode: 0o755 });
    // Containers of any user may have the device.
    await writeFile(path, "", { flag: "a", mode: 0o666 });
    return path;
  }

  async listClaims(): Promise<PreparedRecord[]> {
    const directory = join(this.#directory, "claims");
    const names = (await readdir(directory).catch(noneIfMissing)).filter((name) => name.endsWith(".json"));
    const read = await Promise.all(names.map((name) => readJson(join(directory, name))));
    return read.filter((record) => record !== undefined) as PreparedRecord[];
  }

  async findClaim(uid: string): Promise<PreparedRecord | undefined> {
    return (await readJson(this.#claim(uid))) as PreparedRecord | undefined;
  }

  async putClaim(record: PreparedRecord): Promise<void> {
    await writeWhole(this.#claim(record.uid), JSON.stringify(record));
  }

  async removeClaim(uid: string): Promise<void> {
    await rm(this.#claim(uid), { force: true });
  }

  async findFault(call: DeviceCallName): Promise<CallFault | undefined> {
    return (await this.#faults())?.[call];
  }

  /** Lists the names of broken devices. */
  async listBroken(): Promise<readonly string[]> {
    const broken: unknown = (await this.#faults())?.broken;
    return Array.isArray(broken) ? broken.map(String) : [];
  }

  async #faults() {
    const faults = await readJson(join(this.#directory, "faults.json"));
    return faults as Readonly<Partial<Record<DeviceCallName, CallFault> & { broken: unknown }>> | undefined;
  }

  #claim(uid: string): string {
    if (!uidForm.test(uid)) throw new Error(`claim UID ${JSON.stringify(uid)} is not a UID of the API`);
    return join(this.#directory, "claims", `${uid}.json`);
  }
}

function noneIfMissing(error: unknown): [] {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
  throw error;
}
