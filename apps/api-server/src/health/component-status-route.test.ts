import { formatMicroTime } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const path = "/api/v1/componentstatuses";
const leasesPath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const table = "application/json;as=Table;g=meta.k8s.io;v=v1";

async function rowsOf(server: TestServer): Promise<string[][]> {
  const { json } = await server.get(path, { headers: { accept: table } });
  return json.rows.map(({ cells }: { cells: string[] }) => cells);
}

test("a component is healthy while its leader renews its Lease", async () => {
  await using server = await TestServer.start();
  const renewTime = formatMicroTime(server.clock.nowMs());
  const spec = { holderIdentity: "cp-1", leaseDurationSeconds: 15, renewTime };
  await server.post(leasesPath, { metadata: { name: "kube-scheduler" }, spec });
  const missing = "no leader holds the Lease kube-system/kube-controller-manager";
  expect(await rowsOf(server)).toEqual([
    ["scheduler", "Healthy", "ok", ""],
    ["controller-manager", "Unhealthy", "", missing],
    ["etcd-0", "Healthy", "ok", ""],
  ]);
  await server.clock.advance(20_000);
  expect((await rowsOf(server))[0]).toEqual([
    "scheduler",
    "Unhealthy",
    "",
    "cp-1 has not renewed the Lease kube-system/kube-scheduler for 20s",
  ]);
});

test("one component can be read, and nothing can be written", async () => {
  await using server = await TestServer.start();
  const { headers, json } = await server.get(`${path}/etcd-0`);
  expect(json).toMatchObject({ kind: "ComponentStatus", apiVersion: "v1", conditions: [{ status: "True" }] });
  expect(headers["warning"]).toBe('299 - "v1 ComponentStatus is deprecated in v1.19+"');
  expect((await server.get(`${path}/nothing`)).status).toBe(404);
  expect((await server.post(path, { metadata: { name: "x" } })).status).toBe(405);
  const { json: resources } = await server.get("/api/v1");
  const served = resources.resources.find(({ name }: { name: string }) => name === "componentstatuses");
  expect(served).toMatchObject({ shortNames: ["cs"], verbs: ["get", "list"], namespaced: false });
});
