import { join } from "node:path";
import type { Logger } from "@kintsugi/api";
import { z } from "zod";
import type { Files } from "../../machine/files/files.ts";
import type { NodeContext } from "../../model/node-context.ts";

// The checkpoint, one file for each claim for which a driver was or may have been called:
//
//   <root-dir>/device-claims/<UID of the claim>.json
//
// It is written before the first call and removed after the last, so a restarted kubelet finds in
// it the claims to unprepare. A file is replaced atomically: the new file is written next to it and
// renamed.

const Device = z.object({
  requestNames: z.array(z.string()),
  poolName: z.string(),
  deviceName: z.string(),
  cdiDeviceIds: z.array(z.string()),
});
const ClaimRecord = z.object({
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  /** The UIDs of the pods of this node that use the claim. */
  pods: z.array(z.string()),
  /** The claim's drivers, each with its devices after they are prepared. */
  drivers: z.record(z.string(), z.array(Device)),
  /** True when every driver has prepared the claim. */
  isPrepared: z.boolean(),
});
export type ClaimRecord = z.infer<typeof ClaimRecord>;

/** A claim has 32 devices at most, each with a few names. */
const recordBytesMax = 1024 * 1024;
/** UIDs become parts of paths. */
const uidForm = /^[A-Za-z0-9-]{1,64}$/;

/** The records of this node's claims, on disk and in memory. */
export class DeviceClaimRecords {
  readonly #files: Files;
  readonly #log: Logger;
  readonly #directory: string;
  readonly #byUid = new Map<string, ClaimRecord>();

  constructor({ files, log, node }: { files: Files; log: Logger; node: NodeContext }) {
    this.#files = files;
    this.#log = log;
    this.#directory = join(node.rootDirectory, "device-claims");
  }

  /** Reads the records of an earlier kubelet. */
  async load(): Promise<void> {
    for (const name of await this.#files.list(this.#directory)) {
      const path = join(this.#directory, name);
      if (!name.endsWith(".json")) {
        // A crash happened before the new record was renamed.
        await this.#files.remove(path);
        continue;
      }
      const record = this.#read(path);
      if (record === undefined) this.#log.warn("record of a device claim not readable", { path });
      else this.#byUid.set(record.uid, record);
    }
  }

  list(): readonly ClaimRecord[] {
    return [...this.#byUid.values()];
  }

  find({ namespace, name }: { namespace: string; name: string }): ClaimRecord | undefined {
    return this.list().find((record) => record.namespace === namespace && record.name === name);
  }

  ofPod(podUid: string): readonly ClaimRecord[] {
    return this.list().filter(({ pods }) => pods.includes(podUid));
  }

  async put(record: ClaimRecord): Promise<void> {
    if (!uidForm.test(record.uid))
      throw new Error(`the claim has the UID ${JSON.stringify(record.uid)}, which is not a UID`);
    const path = join(this.#directory, `${record.uid}.json`);
    await this.#files.makeDirectory(this.#directory, 0o700);
    await this.#files.write(`${path}.new`, JSON.stringify(record), 0o600);
    await this.#files.rename(`${path}.new`, path);
    this.#byUid.set(record.uid, record);
  }

  async remove({ uid }: Pick<ClaimRecord, "uid">): Promise<void> {
    await this.#files.remove(join(this.#directory, `${uid}.json`));
    this.#byUid.delete(uid);
  }

  #read(path: string): ClaimRecord | undefined {
    const content = this.#files.readTail(path, recordBytesMax);
    if (content === undefined) return undefined;
    try {
      return ClaimRecord.parse(JSON.parse(Buffer.from(content).toString("utf8")));
    } catch {
      return undefined;
    }
  }
}
