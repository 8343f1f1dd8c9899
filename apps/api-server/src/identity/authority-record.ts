import { createHash, X509Certificate } from "node:crypto";
import { join } from "node:path";
import { RecordFile } from "../storage/record-file.ts";

/**
 * Records, next to the store, the authorities that have signed this cluster's clients. A server
 * with the data directory of another cluster would serve objects of that cluster to the clients of
 * this cluster, so such a directory is rejected.
 */
export class AuthorityRecord {
  readonly #file: RecordFile<string[]>;
  readonly #dataDirectory: string;

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
    this.#file = new RecordFile(join(dataDirectory, "authorities.json"));
  }

  /**
   * @throws Error that names the remedy, when the record of this cluster contains none of the
   * authorities.
   */
  async check(clientCa: string): Promise<void> {
    const known = await this.#file.read();
    const now = authoritiesIn(clientCa);
    if (known === undefined || now.some((each) => known.includes(each))) return;
    throw new Error(
      `${this.#dataDirectory} is the data directory of another cluster, whose authority is ${known.join(" or ")}; --client-ca-file has ${now.join(" and ")}: give --data-dir the directory of this cluster, or, if every certificate was replaced intentionally, remove ${this.#file.path}`,
    );
  }

  /**
   * Records the authorities in `clientCa` as the cluster's. An authority may be replaced after the
   * old and the new authority were both configured.
   */
  async note(clientCa: string): Promise<void> {
    await this.#file.write(authoritiesIn(clientCa));
  }
}

/**
 * Hashes each authority's public key, in the form that `kintsugi token create` and kubeadm print.
 */
function authoritiesIn(pem: string): string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => {
    const key = new X509Certificate(block).publicKey.export({ type: "spki", format: "der" });
    return `sha256:${createHash("sha256").update(key).digest("hex")}`;
  });
}
