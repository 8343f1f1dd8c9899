import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configMaps, deployments, jobs, namespaces, nodes, pods, silentLogger } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { aDeployment } from "@kintsugi/simulation";
import { describe, expect, test, vi } from "vitest";
import { readConfig, startServedCluster, type ServedCluster } from "./factory.ts";

const deps = { clock: systemClock, random: systemRandom, log: silentLogger };
const patience = { timeout: 30_000, interval: 20 };

async function start(...flags: string[]): Promise<ServedCluster> {
  return startServedCluster(deps, readConfig(flags));
}

function aPod(name: string, annotations: Record<string, string>) {
  return {
    metadata: { name, namespace: "default", annotations },
    spec: { containers: [{ name: "c", image: "example.com/server" }] },
  };
}

/** GET over TLS, as a client of another process. */
function get(
  server: ServedCluster,
  path: string,
  token = server.identities.token,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const ca = server.identities.authority.certificate;
    const asked = request(`${server.url}${path}`, { ca, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      let body = "";
      answer.on("data", (chunk: Buffer) => (body += chunk.toString()));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    asked.on("error", reject);
    asked.end();
  });
}

const phaseOf = async (client: Client, name: string) =>
  (await client.get(pods, { namespace: "default", name })).status?.phase;

describe("a test server", () => {
  test("runs workloads, ends namespaces and answers for logs, over TLS and with its token", async () => {
    await using server = await start("--nodes=2");
    await server.nodesReady;
    const { client } = server;
    expect((await client.list(nodes)).items.map(({ metadata }) => metadata.name)).toEqual(["node-1", "node-2"]);
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

  test("keeps its objects in a directory, and another server goes on with them", async () => {
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

  test("refuses a port that is taken, with the flag that chooses another", async () => {
    await using server = await start("--nodes=0");
    await expect(start("--nodes=0", `--port=${server.port}`)).rejects.toThrow(/--port/);
  });

  test("knows nothing of a server beside it", async () => {
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
