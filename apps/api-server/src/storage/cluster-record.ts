import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Records, in the data directory of a server, the cluster whose objects it has served from etcd. A
 * mistaken address or prefix would let the server change another cluster, or begin an empty one; so
 * it is refused.
 */
export class ClusterRecord {
  readonly #dataDirectory: string;
  readonly #file: string;

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
    this.#file = join(dataDirectory, "etcd-cluster.json");
  }

  /**
   * Records the first cluster that is found.
   * @throws Error with the remedy when it was another one before.
   */
  async check(clusterId: string, { prefix }: { prefix: string }): Promise<void> {
    const known = await this.#read();
    if (known === clusterId) return;
    if (known !== undefined) {
      throw new Error(
        `${this.#dataDirectory} is of the cluster ${known}, and etcd has the cluster ${clusterId} below ${prefix}: check --etcd-servers and --etcd-prefix, or, if the cluster was made anew on purpose, remove ${this.#file}`,
      );
    }
    await writeFile(`${this.#file}.new`, `${JSON.stringify({ clusterId })}\n`, { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }

  async #read(): Promise<string | undefined> {
    try {
      return (JSON.parse(await readFile(this.#file, "utf8")) as { clusterId: string }).clusterId;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw new Error(`${this.#file} cannot be read: remove it if the directory is this cluster's`, { cause: error });
    }
  }
}
