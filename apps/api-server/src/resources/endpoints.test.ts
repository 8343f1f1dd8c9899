import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const path = "/api/v1/namespaces/default/endpoints";
const warning = '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"';
const web = {
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { name: "web" },
  subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }],
};

test("Endpoints are created by a PUT as well, with the default protocol, and every response names the replacement", async () => {
  await using server = await TestServer.start();
  const made = await server.put(`${path}/web`, web);
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({ subsets: [{ ports: [{ port: 80, protocol: "TCP" }] }] });
  expect(made.json.metadata.generation).toBeUndefined();
  for (const answer of [
    made,
    await server.get(path),
    await server.get(`${path}/web`),
    await server.delete(`${path}/web`),
  ])
    expect(answer.headers["warning"]).toBe(warning);
  expect((await server.get("/api/v1/namespaces/default/services")).headers["warning"]).toBeUndefined();
});

test("Endpoints are found by their short name", async () => {
  await using server = await TestServer.start();
  const { resources } = (await server.get("/api/v1")).json as { resources: { name: string }[] };
  expect(resources.find(({ name }) => name === "endpoints")).toMatchObject({
    kind: "Endpoints",
    singularName: "endpoints",
    shortNames: ["ep"],
    namespaced: true,
  });
});
