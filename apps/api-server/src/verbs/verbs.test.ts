import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

describe("creating", () => {
  test("answers with the stored object, completed by the server", async () => {
    await using server = await TestServer.start();
    const created = await server.post(podsPath, aPod("web"));
    expect(created.status).toBe(201);
    expect(created.json.metadata).toMatchObject({ name: "web", namespace: "default", generation: 1 });
    expect(created.json.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(created.json.metadata.creationTimestamp).toBe("2026-01-01T00:00:00Z");
    expect(created.json.status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
    expect(created.json.spec.serviceAccountName).toBe("default");
    expect(await server.get(`${podsPath}/web`)).toMatchObject({ status: 200, text: created.text });
  });

  test("refuses a second object of the same name", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("web"));
    const second = await server.post(podsPath, aPod("web"));
    expect(second.status).toBe(409);
    expect(second.json).toMatchObject({ reason: "AlreadyExists", message: 'pods "web" already exists' });
  });
});

test("a list has all objects, and a watch from its revision hears what follows", async () => {
  await using server = await TestServer.start();
  await server.post(podsPath, aPod("a"));
  const list = await server.get(podsPath);
  expect(list.json.items.map((pod: { metadata: { name: string } }) => pod.metadata.name)).toEqual(["a"]);
  const watch = await server.watch(`${podsPath}?watch=true&resourceVersion=${list.json.metadata.resourceVersion}`);
  await server.post(podsPath, aPod("b"));
  await server.patch(`${podsPath}/b`, { metadata: { labels: { x: "1" } } });
  await server.delete(`${podsPath}/b`);
  const events = await watch.take(3);
  expect(events.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
});
