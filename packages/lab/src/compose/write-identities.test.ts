import { X509Certificate } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { parseKubeconfig } from "@kintsugi/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { newClusterSpec } from "../cluster/cluster-spec.ts";
import { writeIdentities } from "./write-identities.ts";

const deps = { clock: systemClock, random: systemRandom };
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "kintsugi-identities-"));
});
afterEach(() => rm(directory, { recursive: true }));

function write(options: { subnet?: number; apiNames?: readonly string[]; servers?: number } = {}): Promise<void> {
  return writeIdentities(deps, {
    spec: newClusterSpec({
      name: "test",
      nodeCount: 2,
      profile: "default",
      apiPort: 7443,
      subnet: options.subnet ?? 64,
      createdAtMs: 0,
    }),
    authorityDirectory: join(directory, "authority"),
    identitiesDirectory: join(directory, "identities"),
    kubeconfigDirectory: directory,
    apiNames: options.apiNames ?? [],
    servers: options.servers ?? 1,
    balancerPort: 7444,
    dataDirectory: join(directory, "data"),
  });
}

const text = (...parts: string[]) => readFile(join(directory, ...parts), "utf8");
const certificate = async (container: string) => new X509Certificate(await text("identities", container, "tls.crt"));

test("each container gets its own identity, and no container gets the authority's key", async () => {
  await write();
  const authorityKey = await text("authority", "ca.key");
  const containers = await readdir(join(directory, "identities"));
  expect(containers.sort()).toEqual([
    "api-server",
    "controller-manager",
    "nats",
    "node-1",
    "node-2",
    "prometheus",
    "scheduler",
  ]);
  for (const container of containers) {
    for (const file of await readdir(join(directory, "identities", container))) {
      expect(await text("identities", container, file)).not.toContain(authorityKey);
      expect((await stat(join(directory, "identities", container, file))).mode & 0o077).toBe(0);
    }
  }
  expect(await readdir(join(directory, "identities", "node-1"))).toEqual([
    "ca.crt",
    "kubeconfig",
    "tls.crt",
    "tls.key",
  ]);
  const signers = await Promise.all(
    containers.map(async (name) => (await readdir(join(directory, "identities", name))).includes("sa.key") && name),
  );
  expect(signers.filter(Boolean)).toEqual(["api-server", "controller-manager"]);
  expect((await certificate("node-1")).subject).toContain("CN=system:node:node-1");
  expect(await text("identities", "node-1", "kubeconfig")).toContain("https://10.64.0.10:6443");
  expect(await text("kubeconfig")).toContain("https://127.0.0.1:7443");
});

test("containers are identified by their names, and nodes by their addresses", async () => {
  await write({ apiNames: ["kintsugi.example", "192.0.2.7"] });
  expect((await certificate("nats")).checkHost("nats")).toBe("nats");
  expect((await certificate("node-2")).checkIP("10.64.0.12")).toBe("10.64.0.12");
  const api = await certificate("api-server");
  for (const name of ["api-server", "localhost", "kintsugi.example"]) expect(api.checkHost(name)).toBe(name);
  for (const address of ["10.64.0.10", "192.0.2.7"]) expect(api.checkIP(address)).toBe(address);
});

test("a second run keeps valid certificates, and recreates certificates for another network", async () => {
  await write();
  const before = { node: await text("identities", "node-1", "tls.crt"), ca: await text("authority", "ca.crt") };
  const tokenKey = await text("identities", "api-server", "sa.key");
  await write();
  expect(await text("identities", "node-1", "tls.crt")).toBe(before.node);
  await write({ subnet: 91 });
  expect(await text("identities", "node-1", "tls.crt")).not.toBe(before.node);
  expect((await certificate("node-1")).checkIP("10.91.0.11")).toBe("10.91.0.11");
  expect(await text("authority", "ca.crt")).toBe(before.ca);
  expect(await text("identities", "api-server", "sa.key")).toBe(tokenKey);
});

test("each of three servers lists the others, and no server gets another server's files", async () => {
  await write({ servers: 3, apiNames: ["kintsugi.example"] });
  const filesOf = async (container: string) => (await readdir(join(directory, "identities", container))).sort();
  expect(await filesOf("etcd-2")).toEqual(["etcd-ca.crt", "etcd.crt", "etcd.key", "etcd.yaml"]);
  expect(await filesOf("balancer")).toEqual(["ca.crt", "haproxy.cfg"]);
  expect(await filesOf("nats-3")).toEqual([
    "ca.crt",
    "nats-route-ca.crt",
    "nats-route.crt",
    "nats-route.key",
    "nats.conf",
    "tls.crt",
    "tls.key",
  ]);
  const containers = await readdir(join(directory, "identities"));
  const withEtcd = await Promise.all(
    containers.map(async (name) => ((await filesOf(name)).some((file) => file.startsWith("etcd-client")) ? name : "")),
  );
  expect(withEtcd.filter(Boolean).sort()).toEqual(["api-server", "api-server-2", "api-server-3"]);

  expect(parse(await text("identities", "api-server-2", "api-server.yaml"))).toMatchObject({
    natsServer: ["tls://nats-2:4222", "tls://nats-3:4222", "tls://nats:4222"],
    etcdServers: ["https://10.64.0.5:2379", "https://10.64.0.6:2379", "https://10.64.0.4:2379"],
  });
  expect(parse(await text("identities", "etcd-3", "etcd.yaml"))).toMatchObject({
    name: "10.64.0.6",
    "listen-client-urls": "https://10.64.0.6:2379",
    "initial-cluster":
      "10.64.0.4=https://10.64.0.4:2380,10.64.0.5=https://10.64.0.5:2380,10.64.0.6=https://10.64.0.6:2380",
    "client-transport-security": { "cert-file": "/etc/kintsugi/etcd.crt", "client-cert-auth": true },
  });
  expect(await text("identities", "nats-2", "nats.conf")).toContain('routes: ["tls://nats:6222", "tls://nats-3:6222"]');
  expect(await text("identities", "balancer", "haproxy.cfg")).toContain("server api-server-3 10.64.0.8:6443");

  expect(parseKubeconfig(await text("identities", "scheduler-2", "kubeconfig"))).toMatchObject({
    server: "https://10.64.0.9:6443",
    servers: ["https://10.64.0.9:6443", "https://10.64.0.8:6443", "https://10.64.0.10:6443"],
  });
  expect(parseKubeconfig(await text("kubeconfig")).server).toBe("https://127.0.0.1:7444");
  const third = await certificate("api-server-3");
  for (const name of ["api-server-3", "localhost", "kintsugi.example"]) expect(third.checkHost(name)).toBe(name);
  for (const address of ["10.64.0.8", "127.0.0.1"]) expect(third.checkIP(address)).toBe(address);
});
