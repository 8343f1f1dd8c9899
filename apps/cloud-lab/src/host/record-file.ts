import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { CloudFaults, CloudRecord, emptyRecord } from "@kintsugi/cloud";
import { readJson, writeWhole } from "@kintsugi/daemon";

/** The cloud's directory: `record.json`, and `faults.json` if there are injected faults. */
export class CloudRecordFile {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws Error that names the file, where it is not a valid record. */
  async read(): Promise<CloudRecord> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const stored = await readJson(join(this.#directory, "record.json"));
    return stored === undefined ? emptyRecord : CloudRecord.parse(stored);
  }

  /** @throws Error where the record could not be parsed again. */
  async write(record: CloudRecord): Promise<void> {
    await writeWhole(join(this.#directory, "record.json"), JSON.stringify(CloudRecord.parse(record)));
  }

  async readFaults(): Promise<CloudFaults> {
    return CloudFaults.parse((await readJson(join(this.#directory, "faults.json"))) ?? {});
  }

  writeFaults(faults: CloudFaults): Promise<void> {
    return writeWhole(join(this.#directory, "faults.json"), JSON.stringify(faults));
  }
}
