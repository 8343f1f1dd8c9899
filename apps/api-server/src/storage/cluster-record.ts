import { join } from "node:path";
import { RecordFile } from "./record-file.ts";

/**
 * Records, in the data directory of a server, the cluster whose objects it has served from etcd.
 * With a wrong address or prefix the server would change another cluster, or create an empty
 * cluster, so such a store is rejected.
 */
export class ClusterRecord {
  readonly #dataDirectory: string;
  readonly #file: RecordFile<{ clusterId: string }>;

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
    this.#file = new RecordFile(join(dataDirectory, "etcd-cluster.json"));
  }

  /**
   * Records the first cluster that is found.
   * @throws Error with the remedy when another cluster was recorded.
   */
  async check(clusterId: string, { prefix }: { prefix: string }): Promise<void> {
    const known = (await this.#file.read())?.clusterId;
    if (known === clusterId) return;
    if (known !== undefined) {
      throw new Error(
        `${this.#dataDirectory} is of the cluster ${known}, and etcd has the cluster ${clusterId} below ${prefix}: check --etcd-servers and --etcd-prefix, or, if the cluster was created again intentionally, remove ${this.#file.path}`,
      );
    }
    await this.#file.write({ clusterId });
  }
}
