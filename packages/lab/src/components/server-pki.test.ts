import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { expect, onTestFinished, test } from "vitest";
import { newClusterSpec } from "../cluster/cluster-spec.ts";
import { planServers } from "../settings/control-plane/servers.ts";
import { ensurePki } from "./cluster-pki.ts";
import { identityFiles } from "./identity-files.ts";
import { ensureServerPki, etcdClientFiles, etcdFiles, natsRouteFiles } from "./server-pki.ts";

const servers = planServers(3) ?? [];
const spec = newClusterSpec({
  name: "c",
  nodeCount: 1,
  profile: "default",
  apiPort: 6443,
  subnet: 64,
  createdAtMs: 0,
  servers,
});

async function makePki(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-server-pki-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const deps = { clock: systemClock, random: systemRandom };
  await ensurePki(deps, spec, directory);
  await ensureServerPki(deps, spec, directory);
  return directory;
}
const certificateIn = (file: string) => new X509Certificate(readFileSync(file));

test("etcd and the routes of NATS have authorities that signed no certificate of a node or user", async () => {
  const pki = await makePki();
  const [first] = servers;
  expect(first).toBeDefined();
  const server = first ?? { name: "", index: 0 };
  const node = certificateIn(identityFiles(pki, "node-1").certFile);
  const admin = certificateIn(identityFiles(pki, "admin").certFile);
  for (const files of [etcdFiles(pki, server), etcdClientFiles(pki), natsRouteFiles(pki, server)]) {
    const authority = certificateIn(files.caFile);
    expect(certificateIn(files.certFile).verify(authority.publicKey)).toBe(true);
    expect([node.verify(authority.publicKey), admin.verify(authority.publicKey)]).toEqual([false, false]);
  }
  const [etcd, routes] = [etcdFiles(pki, server), natsRouteFiles(pki, server)].map(({ caFile }) =>
    readFileSync(caFile),
  );
  expect(etcd?.equals(routes ?? Buffer.alloc(0))).toBe(false);
});

test("each API server's certificate is valid for its own address, the host's address and the Service's address", async () => {
  const pki = await makePki();
  for (const { index } of servers) {
    const certificate = certificateIn(identityFiles(pki, `api-server-${index}`).certFile);
    for (const address of [`10.64.0.${1 + index}`, "127.0.0.1", "10.64.0.1", "10.64.240.1"])
      expect([address, certificate.checkIP(address)]).toEqual([address, address]);
  }
});
