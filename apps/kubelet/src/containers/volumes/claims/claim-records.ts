import { join } from "node:path";
import type { Files } from "../../../machine/files/files.ts";
import { type NodeContext, podDirectory } from "../../../model/node-context.ts";
import type { ClaimedVolume } from "./resolve-claim.ts";

// Resolved claims are recorded in the pod's directory, so that a kubelet that has restarted, or
// cannot reach the API, can set the volumes up again:
//
//   <root-dir>/pods/<uid>/volume-claims/<volume>   {"volume": {…}, "readonly": false}
//
// The record is written before the volume is mounted and removed after it has been unmounted.

/** A PersistentVolume is a few kilobytes; the API server accepts at most 3 MiB. */
const recordBytesMax = 3 * 1024 ** 2;

export class ClaimRecords {
  readonly #files: Files;
  readonly #node: NodeContext;

  constructor(deps: { files: Files; node: NodeContext }) {
    this.#files = deps.files;
    this.#node = deps.node;
  }

  find(podUid: string, volumeName: string): ClaimedVolume | undefined {
    const content = this.#files.readTail(join(this.#directory(podUid), volumeName), recordBytesMax);
    if (content === undefined) return undefined;
    try {
      return JSON.parse(Buffer.from(content).toString("utf8")) as ClaimedVolume;
    } catch {
      // A crash interrupted the write, so nothing has been mounted yet.
      return undefined;
    }
  }

  async put(podUid: string, volumeName: string, claimed: ClaimedVolume): Promise<void> {
    await this.#files.makeDirectory(this.#directory(podUid), 0o750);
    await this.#files.write(join(this.#directory(podUid), volumeName), JSON.stringify(claimed), 0o600);
  }

  async remove(podUid: string, volumeName: string): Promise<void> {
    await this.#files.remove(join(this.#directory(podUid), volumeName));
  }

  async removeAll(podUid: string): Promise<void> {
    await this.#files.remove(this.#directory(podUid));
  }

  /** Lists the claims of a pod that were resolved, each under the name of its volume. */
  async listOfPod(podUid: string): Promise<{ volumeName: string; claimed: ClaimedVolume }[]> {
    const names = await this.#files.list(this.#directory(podUid));
    return names.flatMap((volumeName) => {
      const claimed = this.find(podUid, volumeName);
      return claimed === undefined ? [] : [{ volumeName, claimed }];
    });
  }

  /** Returns the UIDs of the other pods of the node that use the volume. */
  async otherUsers(persistentVolumeName: string, podUid: string): Promise<string[]> {
    const users: string[] = [];
    for (const uid of await this.#files.list(join(this.#node.rootDirectory, "pods"))) {
      if (uid === podUid) continue;
      const volumeNames = await this.#files.list(this.#directory(uid));
      if (volumeNames.some((name) => this.find(uid, name)?.volume.metadata.name === persistentVolumeName))
        users.push(uid);
    }
    return users;
  }

  #directory(podUid: string): string {
    return join(podDirectory(this.#node, podUid), "volume-claims");
  }
}
