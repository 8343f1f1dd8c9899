import { join } from "node:path";
import type { Files } from "../../../machine/files/files.ts";
import type { NodeContext } from "../../../model/node-context.ts";
import { podVolumesDirectory, recordName, stagingRoot, type VolumeRecord } from "./csi-paths.ts";

/** Two names of at most a few hundred characters. */
const recordBytesMax = 16 * 1024;

/** The records of this node's CSI volumes. */
export class CsiRecords {
  readonly #files: Files;
  readonly #node: NodeContext;

  constructor({ files, node }: { files: Files; node: NodeContext }) {
    this.#files = files;
    this.#node = node;
  }

  async put(directory: string, record: VolumeRecord): Promise<void> {
    if (this.find(directory) !== undefined) return;
    await this.#files.makeDirectory(directory, 0o750);
    await this.#files.write(join(directory, recordName), JSON.stringify(record), 0o600);
  }

  find(directory: string): VolumeRecord | undefined {
    const content = this.#files.readTail(join(directory, recordName), recordBytesMax);
    if (content === undefined) return undefined;
    try {
      const { driverName, volumeHandle } = JSON.parse(Buffer.from(content).toString("utf8")) as Partial<VolumeRecord>;
      return driverName === undefined || volumeHandle === undefined ? undefined : { driverName, volumeHandle };
    } catch {
      // A crash interrupted the write, so the driver has not been called yet.
      return undefined;
    }
  }

  /** Removes a record with its empty directory after the mount was removed. */
  async remove(directory: string): Promise<void> {
    await this.#files.remove(directory);
  }

  /** Lists the volumes that may be mounted for the node. */
  async listStaged(): Promise<VolumeRecord[]> {
    const root = stagingRoot(this.#node);
    const found: VolumeRecord[] = [];
    for (const driverName of await this.#files.list(root)) {
      for (const name of await this.#files.list(join(root, driverName))) {
        const record = this.find(join(root, driverName, name));
        if (record !== undefined) found.push(record);
      }
    }
    return found;
  }

  /** Lists the volumes of a pod, with the directory of each. */
  async listOfPod(podUid: string): Promise<{ directory: string; record: VolumeRecord }[]> {
    const parent = podVolumesDirectory(this.#node, podUid);
    const directories = (await this.#files.list(parent)).map((name) => join(parent, name));
    return directories.flatMap((directory) => {
      const record = this.find(directory);
      return record === undefined ? [] : [{ directory, record }];
    });
  }

  /** Reports whether any pod of the node uses the volume. */
  async isUsed({ driverName, volumeHandle }: VolumeRecord): Promise<boolean> {
    for (const uid of await this.#files.list(join(this.#node.rootDirectory, "pods"))) {
      const volumes = await this.listOfPod(uid);
      if (volumes.some(({ record }) => record.driverName === driverName && record.volumeHandle === volumeHandle))
        return true;
    }
    return false;
  }
}
