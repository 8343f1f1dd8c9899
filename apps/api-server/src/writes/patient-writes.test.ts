import { expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

const eventsPath = "/api/v1/namespaces/default/events";

function anEvent(name: string) {
  return { metadata: { name }, involvedObject: { kind: "Pod", namespace: "default", name: "web" }, reason: "Started" };
}

test("events of a burst share syncs, and a pod that follows them does not wait for them", async () => {
  await using server = await TestServer.start();
  await server.clock.advance(1_000);
  const batches: string[][] = [];
  server.store.subscribe((changes) => batches.push(changes.map(({ resource }) => resource)));
  // A few events in a row do not wait.
  for (let i = 0; i < 8; i++) expect(await server.post(eventsPath, anEvent(`few-${i}`))).toMatchObject({ status: 201 });
  expect(batches.splice(0)).toHaveLength(8);
  const created = Array.from({ length: 40 }, (_, i) => server.post(eventsPath, anEvent(`many-${i}`)));
  await server.clock.settle();
  expect(batches).toEqual([]);
  expect(await server.post(podsPath, aPod("web"))).toMatchObject({ status: 201 });
  for (const answer of created) expect(await answer).toMatchObject({ status: 201 });
  expect(batches).toHaveLength(1);
  expect(batches[0]?.filter((resource) => resource === "core/events")).toHaveLength(40);
  const counted = server.patch(`${eventsPath}/many-1`, { count: 2 });
  await server.clock.advance(20);
  expect((await counted).json).toMatchObject({ count: 2 });
});
