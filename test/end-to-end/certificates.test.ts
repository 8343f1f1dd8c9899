import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { configMaps, leases } from "@kintsugi/api";
import { withEntry } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { identityFiles } from "@kintsugi/lab";
import { type Authority, type KeyPair, openAuthority } from "@kintsugi/pki";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiServerProcess, prepareApiServer } from "../support/servers/api-server-process.ts";
import { freePort } from "../support/free-port.ts";
import { repository } from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";

// Services as processes, whose certificates are renewed on the disk while they run. Needs no root.

const directory = mkdtempSync(join(tmpdir(), "kintsugi-certificates-"));
const path = (name: string) => join(directory, name);
let api: ApiServerProcess;
let authority: Authority;
let scheduler: ChildProcess;
let schedulerPort: number;

beforeAll(async () => {
  api = await prepareApiServer();
  const { certFile, keyFile } = identityFiles(api.pki, "ca");
  const pair = { certificate: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
  authority = await openAuthority({ clock: systemClock, random: systemRandom }, pair);
  await api.start();
  schedulerPort = await freePort();
  writeKubeconfig(await issue("system:kube-scheduler"));
  writePair("scheduler", await issue("first"));
  const flags = {
    kubeconfig: path("kubeconfig"),
    "bind-address": "127.0.0.1",
    "secure-port": schedulerPort,
    "tls-cert-file": path("scheduler.crt"),
    "tls-private-key-file": path("scheduler.key"),
    "client-ca-file": certFile,
    profile: "fast",
  };
  const log = openSync(path("scheduler.log"), "a");
  const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  scheduler = spawn(process.execPath, [join(repository, "apps/scheduler/bundle/main.mjs"), ...words], {
    stdio: ["ignore", log, log],
  });
});
afterAll(async () => {
  scheduler?.kill("SIGKILL");
  await api?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

function issue(commonName: string): Promise<KeyPair> {
  return authority.issue({
    commonName,
    usages: ["client", "server"],
    dnsNames: ["localhost"],
    ipAddresses: ["127.0.0.1"],
  });
}

function writePair(name: string, { certificate, key }: KeyPair, into = directory): void {
  writeWhole(join(into, `${name}.key`), key);
  writeWhole(join(into, `${name}.crt`), certificate);
}

function writeKubeconfig({ certificate: cert, key }: KeyPair): void {
  const { server, ca } = api.access;
  // YAML reads JSON.
  writeWhole(path("kubeconfig"), JSON.stringify(withEntry({}, { name: "scheduler", server, ca, cert, key })));
}

function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** Returns the name in the certificate that a new connection to the port gets. */
function shownAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca: api.access.ca }, () => {
      resolve(socket.getPeerCertificate().subject.CN as string);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

test("an API server presents its renewed certificate, and an open watch continues", async () => {
  const port = Number(new URL(api.access.server).port);
  const before = api.pid();
  expect(await shownAt(port)).toBe("kube-apiserver");
  const names: string[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    const { resourceVersion } = await api.client.list(configMaps, { namespace: "default" });
    for await (const event of api.client.watch(configMaps, {
      namespace: "default",
      resourceVersion,
      signal: stop.signal,
    }))
      if (event.type === "ADDED") names.push(event.object.metadata.name ?? "");
  })();
  const make = (name: string) => api.client.create(configMaps, { metadata: { namespace: "default", name } });
  await eventually("the watch is open", async () => {
    await make(`probe-${names.length}-${systemRandom.uuid().slice(0, 8)}`);
    return names.length > 0;
  });
  writePair("api-server", await issue("renewed"), api.pki);
  await eventually("the renewed certificate is shown", async () => (await shownAt(port)) === "renewed");
  await make("later");
  await eventually("the watch has it", async () => names.includes("later"));
  expect(api.pid()).toBe(before);
  stop.abort();
  await watching.catch(() => {});
});

test("a scheduler presents its renewed certificate, and authenticates with its renewed kubeconfig", async () => {
  const renewed = async () =>
    (await api.client.find(leases, { namespace: "kube-system", name: "kube-scheduler" }))?.spec?.renewTime;
  const first = await eventually("it leads", renewed);
  expect(await shownAt(schedulerPort)).toBe("first");
  writePair("scheduler", await issue("second"));
  await eventually("the renewed certificate is shown", async () => (await shownAt(schedulerPort)) === "second");
  await eventually("it leads still", async () => (await renewed()) !== first);
  expect(scheduler.exitCode).toBeNull();

  // The scheduler now sends its requests as this user, who has no rights.
  writeKubeconfig(await issue("nobody-in-particular"));
  await eventually("it is refused as somebody else", async () =>
    readFileSync(path("scheduler.log"), "utf8").includes('User \\"nobody-in-particular\\" cannot'),
  );
});
