import { mkdtempSync, rmSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configMaps, deployments, jobs, namespaces, nodes, pods, services, silentLogger } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { aDeployment } from "@kintsugi/simulation";
import { describe, expect, test, vi } from "vitest";
import { program, startServedCluster, type ServedCluster } from "./factory.ts";

const deps = { clock: systemClock, random: systemRandom, log: silentLogger };
const patience = { timeout: 30_000, interval: 20 };

async function start(...flags: string[]): Promise<ServedCluster> {
  return startServedCluster(deps, program.readConfig(flags));
}

function aPod(name: string, annotations: Record<string, string>) {
  return {
    metadata: { name, namespace: "default", annotations },
    spec: { containers: [{ name: "c", image: "example.com/server" }] },
  };
}

interface Asked {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
}

/** Sends a request over TLS, as a client of another process. */
function send(server: ServedCluster, path: string, asked: Asked = {}): Promise<{ status: number; body: string }> {
  const { method = "GET", token = server.identities.token, body: sent } = asked;
  return new Promise((resolve, reject) => {
    const ca = server.identities.authority.certificate;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const request = httpsRequest(`${server.url}${path}`, { ca, method, headers }, (answer) => {
      let body = "";
      answer.on("data", (chunk: Buffer) => (body += chunk.toString()));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    request.on("error", reject);
    request.end(sent === undefined ? undefined : JSON.stringify(sent));
  });
}

const get = (server: ServedCluster, path: string, token?: string) =>
  send(server, path, token === undefined ? {} : { token });

const phaseOf = async (client: Client, name: string) =>
  (await client.get(pods, { namespace: "default", name })).status?.phase;

describe("a test server", () => {
  test("runs workloads, ends namespaces and serves logs, over TLS and with its token", async () => {
    await using server = await start("--nodes=2");
    await server.nodesReady;
    const { client } = server;
    expect((await client.list(nodes)).items.map(({ metadata }) => metadata.name)).toEqual(["node-1", "node-2"]);
    const kubernetes = await client.get(services, { namespace: "default", name: "kubernetes" });
    expect([kubernetes.spec?.clusterIP, kubernetes.spec?.ports?.[0]?.targetPort]).toEqual(["10.96.0.1", server.port]);
    await client.create(deployments, aDeployment("web", 3));
    await client.create(pods, aPod("talker", { "kintsugi.dev/logs": "listening" }));
    await client.create(namespaces, { metadata: { name: "short" } });
    await client.create(configMaps, { metadata: { name: "c", namespace: "short" } });
    await vi.waitFor(async () => {
      const web = await client.get(deployments, { namespace: "default", name: "web" });
      expect(web.status?.availableReplicas).toBe(3);
      expect(await phaseOf(client, "talker")).toBe("Running");
    }, patience);
    expect(await get(server, "/api/v1/namespaces/default/pods/talker/log")).toEqual({
      status: 200,
      body: "listening\n",
    });
    expect((await get(server, "/api/v1/nodes", "wrong")).status).toBe(401);
    await client.delete(namespaces, { namespace: "", name: "short" });
    await vi.waitFor(async () => {
      expect((await client.list(namespaces)).items.map(({ metadata }) => metadata.name)).not.toContain("short");
    }, patience);
  });

  test("completes a Job whose container runs a script", async () => {
    await using server = await start("--nodes=1", "--profile=fast");
    const { client } = server;
    const container = { name: "c", image: "busybox", command: ["sh", "-c", "echo done; exit 0"] };
    const template = { spec: { restartPolicy: "Never" as const, containers: [container] } };
    await client.create(jobs, { metadata: { name: "j", namespace: "default" }, spec: { template } });
    await vi.waitFor(async () => {
      const job = await client.get(jobs, { namespace: "default", name: "j" });
      expect(job.status?.succeeded).toBe(1);
    }, patience);
  });

  test("keeps its objects in a directory, and another server continues with them", async () => {
    const directory = mkdtempSync(join(tmpdir(), "kintsugi-test-server-test-"));
    try {
      {
        await using server = await start("--nodes=0", `--data-dir=${directory}`);
        await server.client.create(configMaps, { metadata: { name: "kept", namespace: "default" } });
      }
      await using server = await start("--nodes=0", `--data-dir=${directory}`);
      expect((await server.client.get(configMaps, { namespace: "default", name: "kept" })).metadata.name).toBe("kept");
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test("rejects a port that is in use, with the flag that selects another port", async () => {
    await using server = await start("--nodes=0");
    await expect(start("--nodes=0", `--port=${server.port}`)).rejects.toThrow(/--port/);
  });

  test("lets only administrators move its clock, call faults, take marks or reset it", async () => {
    await using server = await start("--nodes=0", "--clock=steered");
    const account = "/api/v1/namespaces/default/serviceaccounts";
    await send(server, account, { method: "POST", body: { metadata: { name: "mallory" } } });
    const role = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" };
    const subjects = [{ kind: "ServiceAccount", name: "mallory", namespace: "default" }];
    const body = { metadata: { name: "mallory" }, roleRef: role, subjects };
    await send(server, "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", { method: "POST", body });
    const issued = await send(server, `${account}/mallory/token`, { method: "POST", body: { spec: {} } });
    const { token } = (JSON.parse(issued.body) as { status: { token: string } }).status;
    expect((await get(server, "/api/v1/namespaces/default/pods", token)).status).toBe(200);
    const asked: [method: string, resource: string, body: unknown][] = [
      ["GET", "clock", undefined],
      ["POST", "clock", { advance: "1h" }],
      ["POST", "faults", { fault: "stop-service", target: "scheduler" }],
      ["DELETE", "faults", undefined],
      ["POST", "marks", { name: "mine" }],
      ["POST", "resets", { mark: "mine" }],
    ];
    for (const [method, resource, sent] of asked) {
      const path = `/apis/kintsugi.dev/v1alpha1/${resource}`;
      expect((await send(server, path, { method, body: sent, token })).status, `${method} ${resource}`).toBe(403);
      expect((await send(server, path, { method, body: sent, token: "none" })).status).toBe(401);
    }
  });

  test("is independent of a server next to it", async () => {
    await using one = await start("--nodes=0");
    await using other = await start("--nodes=0");
    await one.client.create(configMaps, { metadata: { name: "mine", namespace: "default" } });
    const names = (await other.client.list(configMaps, { namespace: "default" })).items.map(
      ({ metadata }) => metadata.name,
    );
    expect(names).not.toContain("mine");
    expect(await get(other, "/api", one.identities.token).catch(() => "refused")).toMatchObject({ status: 401 });
  });
});
