import { X509Certificate } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newClusterSpec } from "../cluster/cluster-spec.ts";
import { writeIdentities } from "./write-identities.ts";

const deps = { clock: systemClock, random: systemRandom };
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "kintsugi-identities-"));
});
afterEach(() => rm(directory, { recursive: true }));

function write(options: { subnet?: number; apiNames?: readonly string[] } = {}): Promise<void> {
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
  });
}

const text = (...parts: string[]) => readFile(join(directory, ...parts), "utf8");
const certificate = async (container: string) => new X509Certificate(await text("identities", container, "tls.crt"));

test("each container gets its own identity, and none the authority's key", async () => {
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
  expect(signers.filter(Boolean)).toEqual(["api-server"]);
  expect((await certificate("node-1")).subject).toContain("CN=system:node:node-1");
  expect(await text("identities", "node-1", "kubeconfig")).toContain("https://10.64.0.10:6443");
  expect(await text("kubeconfig")).toContain("https://127.0.0.1:7443");
});

test("containers are known by their names, and nodes by their addresses", async () => {
  await write({ apiNames: ["kintsugi.example", "192.0.2.7"] });
  expect((await certificate("nats")).checkHost("nats")).toBe("nats");
  expect((await certificate("node-2")).checkIP("10.64.0.12")).toBe("10.64.0.12");
  const api = await certificate("api-server");
  for (const name of ["api-server", "localhost", "kintsugi.example"]) expect(api.checkHost(name)).toBe(name);
  for (const address of ["10.64.0.10", "192.0.2.7"]) expect(api.checkIP(address)).toBe(address);
});

test("a second run leaves what still holds, and makes anew what another network asks for", async () => {
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
