import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isCloudError } from "../cloud-error.ts";
import { createContainerCloud } from "./container-cloud.ts";
import { engineOn } from "./engine-client.ts";

const container = (id: string, service: string | undefined, changes: object = {}) => ({
  Id: id.repeat(64),
  Names: [`/shop-${service}-1`],
  State: "running",
  Labels: { "com.docker.compose.project": "shop", ...(service && { "com.docker.compose.service": service }) },
  NetworkSettings: { Networks: { shop_cluster: { IPAddress: "10.64.0.11", NetworkID: "x" } } },
  ...changes,
});

/** An engine on a socket that has these containers, and records the requests that it receives. */
async function anEngine(containers: unknown) {
  const directory = await mkdtemp(join(tmpdir(), "engine-"));
  const socket = join(directory, "docker.sock");
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${decodeURIComponent(request.url ?? "")}`);
    const known = !request.url?.includes("f".repeat(64));
    if (request.method === "GET") response.end(JSON.stringify(containers));
    else response.writeHead(known ? 204 : 409).end('{"message":"it is being removed"}');
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(async () => {
    server.close();
    await rm(directory, { recursive: true });
  });
  return { cloud: createContainerCloud(engineOn(socket, 1_000), { project: "shop" }), calls };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "done",
    (error: unknown) => (isCloudError(error) ? error.code : String(error)),
  );
}

test("containers are machines by their services: running, stopped, and removed", async () => {
  const { cloud, calls } = await anEngine([
    container("a", "node-1"),
    container("b", "node-2", { State: "exited", NetworkSettings: { Networks: { shop_cluster: { IPAddress: "" } } } }),
    container("c", undefined),
  ]);
  const { instances } = await cloud.listInstances({});
  expect(instances.map(({ name, state }) => `${name} ${state}`)).toEqual(["node-1 running", "node-2 stopped"]);
  expect(calls[0]).toBe('GET /containers/json?all=true&filters={"label":["com.docker.compose.project=shop"]}');
  expect((await cloud.findInstance({ providerId: "compose://shop/node-1" })).instance).toMatchObject({
    name: "node-1",
    addresses: [
      { type: "InternalIP", address: "10.64.0.11" },
      { type: "Hostname", address: "node-1" },
    ],
  });
  expect(await cloud.findInstance({ name: "node-3" })).toEqual({});
});

test("a machine is stopped, started and removed, and a missing machine is not found", async () => {
  const { cloud, calls } = await anEngine([container("a", "node-1"), container("f", "node-2")]);
  for (const action of ["stop", "start", "terminate"] as const) await cloud.actOnInstance({ name: "node-1", action });
  const id = "a".repeat(64);
  expect(calls.filter((call) => !call.startsWith("GET"))).toEqual([
    `POST /containers/${id}/stop`,
    `POST /containers/${id}/start`,
    `DELETE /containers/${id}?force=true`,
  ]);
  expect(await codeOf(cloud.actOnInstance({ name: "node-3", action: "stop" }))).toBe("NotFound");
  await expect(cloud.actOnInstance({ name: "node-2", action: "stop" })).rejects.toThrow("it is being removed");
});

test("an engine that is unreachable or returns an unexpected response is reported as unavailable, and never as a cloud without machines", async () => {
  const away = createContainerCloud(engineOn("/nowhere/docker.sock", 1_000), { project: "shop" });
  expect(await codeOf(away.findInstance({ name: "node-1" }))).toBe("Unavailable");
  for (const answer of [{ message: "page not found" }, [{ Id: "../x", State: "running" }]]) {
    const { cloud } = await anEngine(answer);
    expect(await codeOf(cloud.findInstance({ name: "node-1" }))).toBe("Unavailable");
  }
  const { cloud } = await anEngine([]);
  expect(await codeOf(cloud.resizeNodeGroup({ group: "pool", from: 0, to: 1 }))).toBe("InvalidRequest");
});
