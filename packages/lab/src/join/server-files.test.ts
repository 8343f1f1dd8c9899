import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { parseKubeconfig } from "@kintsugi/client";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { placeSharedKeys, readBundle } from "./control-plane-bundle.ts";
import { type ControlPlaneOptions, writeControlPlaneFiles } from "./control-plane-files.ts";

const servers = ["192.0.2.10", "192.0.2.11", "192.0.2.12"];

async function initialise(directory: string, address: string): Promise<void> {
  const options: ControlPlaneOptions = {
    directory,
    address,
    servers,
    apiPort: 6443,
    apiNames: [],
    serviceRange: "10.96.0.0/16",
    dataDirectory: "/var/lib/kintsugi/store",
    clusterCidr: undefined,
    profile: "default" as const,
  };
  await writeControlPlaneFiles({ clock: systemClock, random: systemRandom }, options);
}

test("a second machine with the first machine's authorities has files that match the first machine's", async () => {
  const root = mkdtempSync(join(tmpdir(), "kintsugi-servers-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [one, two] = [join(root, "one"), join(root, "two")];
  await initialise(one, "192.0.2.10");
  const settings = {
    servers,
    apiPort: 6443,
    apiNames: [],
    serviceRange: "10.96.0.0/16",
    profile: "default" as const,
  };
  await placeSharedKeys(join(two, "pki"), await readBundle(join(one, "pki"), settings));
  const shared = ["ca", "front-proxy-ca", "etcd-ca", "nats-route-ca"].flatMap((name) => [`${name}.crt`, `${name}.key`]);
  await initialise(two, "192.0.2.11");
  const read = (directory: string, file: string) => readFileSync(join(directory, file), "utf8");
  for (const file of shared) expect(read(two, `pki/${file}`)).toBe(read(one, `pki/${file}`));
  expect(read(two, "pki/etcd.key")).not.toBe(read(one, "pki/etcd.key"));
  const etcd = [one, two].map((directory) => parse(read(directory, "etcd.yaml")) as Record<string, unknown>);
  expect(etcd.map((config) => config["initial-cluster"])).toEqual(
    Array(2).fill(servers.map((server) => `${server}=https://${server}:2380`).join(",")),
  );
  expect(etcd[1]).toMatchObject({
    name: "192.0.2.11",
    "data-dir": "/var/lib/kintsugi/etcd",
    "client-transport-security": { "client-cert-auth": true },
    "peer-transport-security": { "client-cert-auth": true },
  });
  expect(parse(read(two, "api-server.yaml"))).toMatchObject({
    etcdServers: ["https://192.0.2.11:2379", "https://192.0.2.12:2379", "https://192.0.2.10:2379"],
    natsServer: ["tls://192.0.2.11:4222", "tls://192.0.2.12:4222", "tls://192.0.2.10:4222"],
  });
  expect(read(two, "nats.conf")).toContain('routes: ["tls://192.0.2.10:6222", "tls://192.0.2.12:6222"]');
  expect(parseKubeconfig(read(two, "scheduler.kubeconfig"))).toMatchObject({
    server: "https://192.0.2.11:6443",
    servers: ["https://192.0.2.11:6443", "https://192.0.2.12:6443", "https://192.0.2.10:6443"],
  });
});
