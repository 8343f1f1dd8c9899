import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { clusterPaths } from "../cluster/cluster-paths.ts";
import { newClusterSpec } from "../cluster/cluster-spec.ts";
import { planServers } from "../settings/control-plane/servers.ts";
import { balancerConfig } from "./balancer-config.ts";
import { clusterKubeconfigs } from "./cluster-kubeconfigs.ts";
import type { ClusterLayout } from "./components.ts";
import { balancerComponent, serverComponents, serverStores } from "./server-components.ts";

const servers = planServers(3) ?? [];
const spec = newClusterSpec({
  name: "c",
  nodeCount: 3,
  profile: "default",
  apiPort: 6443,
  subnet: 64,
  createdAtMs: 0,
  servers,
});
const program = ["program"];
const layout: ClusterLayout = {
  spec,
  paths: clusterPaths("/data", "c"),
  programs: {
    app: () => program,
    haproxy: program,
    natsServer: program,
    etcd: program,
    containerd: program,
  },
  resolver: { resolvConf: undefined, stubs: [] },
};

test("a server runs every control plane program in its own namespace, cgroup and host name", () => {
  const ofServers = servers.map((server) => serverComponents(layout, server));
  expect(ofServers.map((components) => components.map(({ id }) => id))).toEqual(
    servers.map(({ name }) =>
      ["etcd", "nats", "api-server", "scheduler", "controller-manager"].map((id) => `${id}@${name}`),
    ),
  );
  for (const [i, components] of ofServers.entries()) {
    const { name } = servers[i] ?? { name: "" };
    for (const component of components) {
      expect(component).toMatchObject({
        cgroup: `/kintsugi/c/${name}`,
        namespacePath: `/var/run/netns/kintsugi-c-${name}`,
        hostname: name,
      });
    }
  }
  const ids = [...ofServers.flat(), balancerComponent(layout)].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("an API server lists its own machine's etcd and NATS first, and the others after them", () => {
  const [, second] = servers;
  const api = second && serverComponents(layout, second).find(({ id }) => id.startsWith("api-server"));
  expect(api?.command).toEqual(
    expect.arrayContaining([
      "--etcd-servers=https://10.64.0.3:2379,https://10.64.0.4:2379,https://10.64.0.2:2379",
      "--nats-server=tls://10.64.0.3:4222,tls://10.64.0.4:4222,tls://10.64.0.2:4222",
      "--bind-address=127.0.0.1,10.64.0.3",
    ]),
  );
});

test("members of etcd authenticate clients and each other by certificates only", () => {
  const [first] = servers;
  const [etcd] = first === undefined ? [] : serverStores(layout, first);
  expect(etcd?.command).toEqual(expect.arrayContaining(["--client-cert-auth=true", "--peer-client-cert-auth=true"]));
  expect(etcd?.command.filter((argument) => argument.includes("http://"))).toEqual([]);
});

test("the cluster's programs list all servers and begin with different servers; kubectl uses the balancer", () => {
  const kubeconfigs = clusterKubeconfigs(layout);
  const admin = kubeconfigs.find(({ identity }) => identity === "admin");
  expect(admin).toMatchObject({ server: "https://127.0.0.1:6443", servers: expect.any(Array) as unknown });
  const nodes = kubeconfigs.filter(({ identity }) => identity.startsWith("node-"));
  expect(new Set(nodes.map(({ server }) => server)).size).toBe(3);
  for (const { server, servers: all } of nodes) expect([all?.[0], all?.length]).toEqual([server, 3]);
  const files = kubeconfigs.map(({ file }) => file);
  expect(new Set(files).size).toBe(files.length);
});

test("the balancer queries each server's readiness and verifies its certificate", () => {
  const config = balancerConfig(spec, { caFile: "/pki/ca.crt" });
  expect(config).toContain("http-check send meth GET uri /readyz");
  expect(config).toContain("check-ssl verify required ca-file /pki/ca.crt");
  for (const { name, index } of servers) expect(config).toContain(`server ${name} 10.64.0.${1 + index}:6443`);
});

test("a client of the balancer gets half of its connections", () => {
  const config = balancerConfig(spec, { caFile: "/pki/ca.crt" });
  expect(config).toContain("maxconn 2000");
  expect(config).toContain("tcp-request connection reject if { sc0_conn_cur gt 1000 }");
  const directory = mkdtempSync(join(tmpdir(), "balancer-config-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const [file, caFile] = [join(directory, "haproxy.cfg"), join(directory, "ca.crt")];
  writeFileSync(caFile, rootCertificates[0] ?? "");
  writeFileSync(file, balancerConfig(spec, { caFile }));
  const { status, error, stderr } = spawnSync("haproxy", ["-c", "-f", file], { encoding: "utf8" });
  // An installed HAProxy accepts the configuration.
  expect(error === undefined && status !== 0 ? stderr : "").toBe("");
});

test.each([0, 2, 4, 6])("%i servers are rejected with the reason", (count) => {
  expect(() => planServers(count)).toThrow("--servers must be 1, 3 or 5");
});
