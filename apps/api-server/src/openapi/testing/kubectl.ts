import { type ExecFileException, execFile } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { silentLogger, silentMetrics } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { MemoryStore } from "@kintsugi/store/simulated";
import { createApiServer } from "../../factory.ts";
import type { ApiRequest } from "../../http/api-request.ts";
import { testGuard } from "../../testing/test-guard.ts";
import { listenTls, type TlsServer } from "../../transport/tls-server.ts";
import { TestCertificates } from "../../testing/test-certificates.ts";

/**
 * The kubectl binaries of this machine, by minor version. They are in the same folder as the
 * kubectl in the path.
 */
export function findKubectls(): ReadonlyMap<string, string> {
  const directories = `/usr/local/bin${delimiter}/usr/bin`.split(delimiter);
  const kubectl = directories.map((directory) => join(directory, "kubectl")).find((path) => existsSync(path));
  const beside = kubectl === undefined ? "" : dirname(realpathSync(kubectl));
  const found = ["1.27", "1.28", "1.29", "1.30", "1.31", "1.32", "1.33"].map((version): [string, string] => [
    version,
    join(beside, `kubectl.${version}`),
  ]);
  return new Map(found.filter(([, path]) => existsSync(path)));
}

export interface KubectlRun {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/**
 * A real API server on a real port, with its store in memory, and functions that run kubectl
 * against it.
 */
export class KubectlLab implements AsyncDisposable {
  /** The requests of kubectl, in order. */
  readonly requests: ApiRequest[] = [];
  readonly #certificates = new TestCertificates()
    .authority()
    .issue("server", "/CN=api-server", { usage: "serverAuth", altNames: "IP:127.0.0.1" })
    .issue("admin", "/O=system:masters/CN=admin");
  readonly #home = mkdtempSync(join(tmpdir(), "kintsugi-kubectl-"));
  readonly #stop = new AbortController();
  #listener: TlsServer | undefined;

  async start(): Promise<void> {
    const store = new MemoryStore({ clock: systemClock, random: systemRandom });
    const deps = { store, clock: systemClock, random: systemRandom, log: silentLogger, metrics: silentMetrics };
    const server = createApiServer(deps);
    void server.run(this.#stop.signal);
    await server.ready;
    const handle = (request: ApiRequest) => {
      this.requests.push(request);
      return server.handle(request);
    };
    this.#listener = await listenTls(
      { handle, clock: systemClock, log: silentLogger, guard: testGuard() },
      {
        bindAddress: "127.0.0.1",
        port: 0,
        tls: {
          key: this.#certificates.read("server.key"),
          cert: this.#certificates.read("server.crt"),
          ca: this.#certificates.read("ca.crt"),
        },
      },
    );
    writeFileSync(join(this.#home, "config"), this.#kubeconfig(this.#listener.port));
  }

  /** Runs one command; `input` is its standard input. */
  run(kubectl: string, args: readonly string[], input = ""): Promise<KubectlRun> {
    const env = { HOME: this.#home, KUBECONFIG: join(this.#home, "config"), PATH: "/usr/bin:/bin" };
    return new Promise((resolve) => {
      const child = execFile(kubectl, [...args], { env, maxBuffer: 32 * 1024 * 1024 }, (error, stdout, stderr) =>
        resolve({ exitCode: exitCodeOf(error), stdout, stderr }),
      );
      child.stdin?.end(input);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#listener?.[Symbol.asyncDispose]();
    this.#certificates[Symbol.dispose]();
    rmSync(this.#home, { recursive: true, force: true });
  }

  #kubeconfig(port: number): string {
    const file = (name: string) => join(this.#certificates.directory, name);
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        { name: "c", cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority": file("ca.crt") } },
      ],
      users: [{ name: "u", user: { "client-certificate": file("admin.crt"), "client-key": file("admin.key") } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    };
    return JSON.stringify(config);
  }
}

function exitCodeOf(error: ExecFileException | null): number {
  return error === null ? 0 : typeof error.code === "number" ? error.code : -1;
}
