import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { withEntry } from "@kintsugi/client";
import { ensurePki, identityFiles, newClusterSpec, readIdentity } from "@kintsugi/lab";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { repository } from "../support/lab-cluster.ts";
import { type ProgramResult, runProgram } from "../support/run-program.ts";

// Each service as it is installed, with common mistakes of its users: its message must suffice to
// fix them. Needs no root.

const services = ["api-server", "scheduler", "controller-manager", "kubelet"] as const;
type Service = (typeof services)[number];

/** The lines at the top of each service's file, and a setting of it that is a number. */
const kinds: Readonly<Record<Service, { head: string; kind: string }>> = {
  "api-server": kindOf("kintsugi.dev/v1alpha1", "ApiServerConfiguration"),
  scheduler: kindOf("kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration"),
  "controller-manager": kindOf("kintsugi.dev/v1alpha1", "ControllerManagerConfiguration"),
  kubelet: kindOf("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration"),
};

function kindOf(apiVersion: string, kind: string) {
  return { head: `apiVersion: ${apiVersion}\nkind: ${kind}\n`, kind };
}

const directory = mkdtempSync(join(tmpdir(), "kintsugi-bad-input-"));
const path = (...parts: string[]) => join(directory, ...parts);
let taken: Server;
let port = 0;

beforeAll(async () => {
  const deps = { clock: systemClock, random: systemRandom };
  const options = {
    name: "bad",
    nodeCount: 1,
    profile: "default",
    apiPort: 6443,
    subnet: 127,
    createdAtMs: 0,
  } as const;
  await ensurePki(deps, newClusterSpec(options), path("pki"));
  await ensurePki(deps, newClusterSpec(options), path("other-pki"));
  // No server answers at this address, but these services fail before they connect.
  const access = { name: "bad", server: "https://127.0.0.1:1" };
  // YAML reads JSON.
  writeFileSync(
    path("kubeconfig"),
    JSON.stringify(withEntry({}, { ...access, ...(await readIdentity(path("pki"), "admin")) })),
  );
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  ({ port } = taken.address() as { port: number });
});
afterAll(() => {
  taken?.close();
  rmSync(directory, { recursive: true, force: true });
});

function run(service: Service, ...args: string[]): Promise<ProgramResult> {
  const bundle = join(repository, `apps/${service}/bundle/main.mjs`);
  return runProgram(process.execPath, [bundle, ...args], { timeoutMs: 20_000 });
}

/** All required flags of the service, on the port that is in use. */
function flagsOf(service: Service, changes: Readonly<Record<string, string>> = {}): string[] {
  const { certFile, keyFile, caFile } = identityFiles(path("pki"), service === "kubelet" ? "node-1" : service);
  const address = { [service === "kubelet" ? "address" : "bind-address"]: "127.0.0.1" };
  const own: Record<Service, Record<string, string>> = {
    "api-server": { "data-dir": path("store") },
    scheduler: { kubeconfig: path("kubeconfig") },
    "controller-manager": { kubeconfig: path("kubeconfig") },
    kubelet: {
      kubeconfig: path("kubeconfig"),
      "node-ip": "127.0.0.1",
      "root-dir": path("kubelet"),
      "memory-dir": path("memory"),
      "container-runtime-endpoint": `unix://${path("no.sock")}`,
    },
  };
  const flags = {
    "tls-cert-file": certFile,
    "tls-private-key-file": keyFile,
    "client-ca-file": caFile,
    [service === "kubelet" ? "port" : "secure-port"]: String(port),
    ...address,
    ...own[service],
    ...changes,
  };
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}

describe.each(services)("%s", (service) => {
  const { head, kind } = kinds[service];
  const withFile = (text: string) => {
    const file = path(`${service}.yaml`);
    writeFileSync(file, text);
    return run(service, "--config", file);
  };

  test("rejects a file with an unknown key, a wrong type, or another kind, states the place, and exits with 2", async () => {
    const unknown = await withFile(`${head}\ntlsCertFil: /x\n`);
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining(`${service}.yaml:4:1: ${kind}: unknown word "tlsCertFil"; did you mean "tlsCertFile"?`),
    ]);
    const wrong = await withFile(`${head}tlsCertFile: [a]\n`);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/\.yaml:3:14: tlsCertFile: .*is not a? ?text/),
    ]);
    const other = await withFile("apiVersion: v1\nkind: Pod\n");
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining(`known are ${kind}`)]);
    const missing = await run(service, "--config", path("nowhere.yaml"));
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining("nowhere.yaml: cannot be read: ENOENT"),
    ]);
    const flag = await run(service, "--tls-cert-fil=x");
    expect([flag.code, flag.stderr]).toEqual([2, expect.stringContaining("Did you mean --tls-cert-file?")]);
  });

  test("reports that its port is in use, with a remedy", async () => {
    const { code, stdout, stderr } = await run(service, ...flagsOf(service));
    expect(stdout + stderr).toContain(`port ${port} on 127.0.0.1 is in use: `);
    expect(code).toBe(1);
  });

  test("reports which of its certificate files is invalid", async () => {
    const { code, stdout, stderr } = await run(service, ...flagsOf(service, { "tls-cert-file": path("nowhere.crt") }));
    expect(stdout + stderr).toMatch(/the certificate cannot be read: ENOENT.*nowhere\.crt/);
    expect(code).toBe(1);
    const key = identityFiles(path("pki"), "nats").keyFile;
    const mixed = await run(service, ...flagsOf(service, { "tls-private-key-file": key }));
    expect(mixed.stdout + mixed.stderr).toMatch(/nats\.key is not the key of /);
    expect(mixed.code).toBe(1);
  });
});

// Node's recursive mkdir alone would loop forever at such a path.
test.each([
  ["api-server", "data-dir"],
  ["kubelet", "root-dir"],
] as const)("the %s rejects a --%s below /proc immediately", async (service, flag) => {
  const { code, stdout, stderr } = await run(service, ...flagsOf(service, { [flag]: "/proc/kintsugi/there" }));
  expect(stdout + stderr).toContain(`nothing can be written in /proc (ENOENT): choose another --${flag}`);
  expect(code).toBe(1);
});

describe("the API server's data directory", () => {
  test("is rejected if it belongs to another cluster", async () => {
    // The server opens the store before it exits because of the port, so the directory then belongs
    // to this cluster.
    expect((await run("api-server", ...flagsOf("api-server"))).code).toBe(1);
    const { certFile, keyFile, caFile } = identityFiles(path("other-pki"), "api-server");
    const others = { "tls-cert-file": certFile, "tls-private-key-file": keyFile, "client-ca-file": caFile };
    const { code, stdout, stderr } = await run("api-server", ...flagsOf("api-server", others));
    expect(stdout + stderr).toContain("is the data directory of another cluster, whose authority is sha256:");
    expect(code).toBe(1);
  });

  test("is rejected if a newer version wrote it", async () => {
    const fresh = { "data-dir": path("newer") };
    await run("api-server", ...flagsOf("api-server", fresh));
    const file = path("newer/HEAD");
    writeFileSync(file, readFileSync(file, "latin1").replaceAll("kintsugi-store 1 ", "kintsugi-store 9 "), "latin1");
    const { code, stdout, stderr } = await run("api-server", ...flagsOf("api-server", fresh));
    expect(stdout + stderr).toContain("a newer version wrote it");
    expect(code).toBe(1);
  });
});
