import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type CsiCallName, type CloudNode, emptyBooks, type Books } from "@kintsugi/csi";
import type { CallFault } from "@kintsugi/grpc";
import { readJson, writeWhole } from "@kintsugi/daemon";

// The cloud is a directory that the driver's controller and its nodes share:
//
//   books.json              the record; only the controller writes it
//   nodes/<node>.json        the machines, each written by its own process
//   disks/<id>.img           a disk with ext4, mounted by a loop device; or a directory disks/<id>
//   ephemeral/<id>.img       the same for volumes that a pod describes itself
//   ephemeral/<id>.json      the namespace and the size of such a volume
//   snapshots/<id>.img       the same for snapshots
//   attachments/<id>         the name of the node that may use the disk; removed on its detachment
//   locks/<id>               held while a disk is mounted or detached by force
//   faults.json              faults injected into calls: {"nodeStageVolume": {"hangs": true}}

export class CloudDirectory {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  disk(id: string): string {
    return join(this.#directory, "disks", id);
  }

  snapshot(id: string): string {
    return join(this.#directory, "snapshots", id);
  }

  get ephemeralDirectory(): string {
    return join(this.#directory, "ephemeral");
  }

  ephemeral(id: string): string {
    return join(this.ephemeralDirectory, id);
  }

  attachment(id: string): string {
    return join(this.#directory, "attachments", id);
  }

  lock(id: string): string {
    return join(this.#directory, "locks", id);
  }

  async readBooks(): Promise<Books> {
    return ((await readJson(join(this.#directory, "books.json"))) as Books | undefined) ?? emptyBooks;
  }

  writeBooks(books: Books): Promise<void> {
    return writeWhole(join(this.#directory, "books.json"), JSON.stringify(books));
  }

  async listNodes(): Promise<CloudNode[]> {
    const directory = join(this.#directory, "nodes");
    const files = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith(".json")).sort();
    const nodes = await Promise.all(files.map((name) => readJson(join(directory, name))));
    return nodes.filter((node) => node !== undefined) as CloudNode[];
  }

  putNode(node: CloudNode): Promise<void> {
    return writeWhole(join(this.#directory, "nodes", `${node.id}.json`), JSON.stringify(node));
  }

  /** Reports whether the disk is attached to the node. */
  async isAttachedTo(diskId: string, nodeId: string): Promise<boolean> {
    const content = await readFile(this.attachment(diskId), "utf8").catch(missingIsUndefined);
    return content === nodeId;
  }

  async attach(diskId: string, nodeId: string): Promise<void> {
    await writeWhole(this.attachment(diskId), nodeId);
  }

  async detach(diskId: string): Promise<void> {
    await rm(this.attachment(diskId), { force: true });
  }

  async findFault(call: CsiCallName): Promise<CallFault | undefined> {
    const faults = await readJson(join(this.#directory, "faults.json"));
    return (faults as Readonly<Record<string, CallFault>> | undefined)?.[call];
  }
}

function missingIsUndefined(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  throw error;
}
