import { createHash, X509Certificate } from "node:crypto";
import { join } from "node:path";
import { RecordFile } from "../storage/record-file.ts";

/**
 * Records, beside the store, the authorities that have signed this cluster's clients. A data
 * directory of another cluster would be served to clients that it does not know, with objects that
 * belong to none of them; so it is refused.
 */
export class AuthorityRecord {
  readonly #file: RecordFile<string[]>;
  readonly #dataDirectory: string;

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
    this.#file = new RecordFile(join(dataDirectory, "authorities.json"));
  }

  /**
   * @throws Error that names the remedy, when none of the authorities was one of this cluster's
   * before.
   */
  async check(clientCa: string): Promise<void> {
    const known = await this.#file.read();
    const now = authoritiesIn(clientCa);
    if (known === undefined || now.some((each) => known.includes(each))) return;
    throw new Error(
      `${this.#dataDirectory} is the data directory of another cluster, whose authority is ${known.join(" or ")}; --client-ca-file has ${now.join(" and ")}: give --data-dir the directory of this cluster, or, if every certificate was made anew on purpose, remove ${this.#file.path}`,
    );
  }

  /**
   * Records these as the cluster's authorities: one may be replaced as long as old and new have
   * been there together.
   */
  async note(clientCa: string): Promise<void> {
    await this.#file.write(authoritiesIn(clientCa));
  }
}

/**
 * Hashes each authority's public key, in the form that `kintsugi token create` and kubeadm write.
 */
function authoritiesIn(pem: string): string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => {
    const key = new X509Certificate(block).publicKey.export({ type: "spki", format: "der" });
    return `sha256:${createHash("sha256").update(key).digest("hex")}`;
  });
}
