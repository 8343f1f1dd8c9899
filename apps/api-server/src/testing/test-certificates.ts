import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Certificates that openssl makes in a temporary directory, which is removed with the object. */
export class TestCertificates implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "kintsugi-api-server-"));

  /** A certificate authority named `name`. */
  authority(name = "ca"): this {
    this.#openssl(
      "req",
      "-x509",
      ...newKey(),
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.crt`,
      "-subj",
      `/CN=${name}`,
      "-days",
      "2",
    );
    return this;
  }

  /** A certificate for `subject` ("/O=system:masters/CN=admin"), signed by `ca`. */
  issue(
    name: string,
    subject: string,
    options: { ca?: string; usage?: string; days?: number; altNames?: string } = {},
  ): this {
    const { ca = "ca", usage = "clientAuth", days = 2, altNames } = options;
    this.#openssl("req", ...newKey(), "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", subject);
    const extensions = [`extendedKeyUsage=${usage}`, ...(altNames === undefined ? [] : [`subjectAltName=${altNames}`])];
    writeFileSync(join(this.directory, `${name}.ext`), `${extensions.join("\n")}\n`);
    const signer = ["-CA", `${ca}.crt`, "-CAkey", `${ca}.key`, "-CAcreateserial", "-days", String(days)];
    this.#openssl("x509", "-req", "-in", `${name}.csr`, ...signer, "-extfile", `${name}.ext`, "-out", `${name}.crt`);
    return this;
  }

  path(file: string): string {
    return join(this.directory, file);
  }

  read(file: string): string {
    return readFileSync(this.path(file), "utf8");
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #openssl(...args: string[]): void {
    execFileSync("openssl", args, { cwd: this.directory, stdio: "pipe" });
  }
}

function newKey(): string[] {
  return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
}
