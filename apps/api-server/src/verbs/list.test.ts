import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

interface Named {
  metadata: { name: string };
}

const namesOf = (items: Named[]) => items.map(({ metadata }) => metadata.name);

async function startWithPods(...names: string[]): Promise<TestServer> {
  const server = await TestServer.start();
  for (const name of names) await server.post(podsPath, aPod(name, { labels: { name } }));
  return server;
}

describe("listing", () => {
  test("pages belong to one snapshot, regardless of writes between them", async () => {
    await using server = await startWithPods("a", "b", "c", "d");
    const first = await server.get(`${podsPath}?limit=2`);
    expect(namesOf(first.json.items)).toEqual(["a", "b"]);
    expect(first.json.metadata.remainingItemCount).toBe(2);
    await server.delete(`${podsPath}/c`);
    await server.post(podsPath, aPod("bb"));
    const next = `${podsPath}?limit=2&continue=${first.json.metadata.continue}`;
    const second = await server.get(next);
    expect(namesOf(second.json.items)).toEqual(["c", "d"]);
    expect(second.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion);
    expect(second.json.metadata.continue).toBeUndefined();
  });

  test("under selectors a page is full as long as enough objects match", async () => {
    await using server = await startWithPods("a", "b", "c", "d");
    const first = await server.get(`${podsPath}?limit=1&labelSelector=name+in+(b,d)`);
    expect(namesOf(first.json.items)).toEqual(["b"]);
    expect(first.json.metadata.remainingItemCount).toBeUndefined();
    const second = await server.get(
      `${podsPath}?limit=1&labelSelector=name+in+(b,d)&continue=${first.json.metadata.continue}`,
    );
    expect(namesOf(second.json.items)).toEqual(["d"]);
    expect(second.json.metadata.continue).toBeUndefined();
  });

  test("a past revision is listed as it was", async () => {
    await using server = await startWithPods("a");
    const { json: then } = await server.get(podsPath);
    await server.post(podsPath, aPod("b"));
    const query = `resourceVersion=${then.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expect(namesOf((await server.get(`${podsPath}?${query}`)).json.items)).toEqual(["a"]);
    expect(
      namesOf((await server.get(`${podsPath}?resourceVersion=${then.metadata.resourceVersion}`)).json.items),
    ).toEqual(["a", "b"]);
  });

  test.each([
    ["fieldSelector=metadata.name%3Db", ["b"]],
    ["fieldSelector=metadata.name%21%3Db", ["a", "c"]],
    ["fieldSelector=spec.nodeName%3D", ["a", "b", "c"]],
    ["fieldSelector=status.phase%3DRunning", []],
    ["labelSelector=name%21%3Da", ["b", "c"]],
    ["labelSelector=%21name", []],
  ])("by %s returns %j", async (query, names) => {
    await using server = await startWithPods("a", "b", "c");
    expect(namesOf((await server.get(`${podsPath}?${query}`)).json.items)).toEqual(names);
  });

  test.each([
    ["fieldSelector=spec.hostname%3Dx", 400],
    ["fieldSelector=nonsense", 400],
    ["labelSelector=a+in+b", 400],
    ["limit=many", 400],
    ["continue=garbage", 400],
    [
      `continue=${Buffer.from(`{"v":"meta.k8s.io/v1","rv":999999999,"start":"core/pods/default/a"}`).toString("base64url")}`,
      410,
    ],
    ["resourceVersion=abc", 400],
    ["resourceVersion=999999", 504],
    ["resourceVersionMatch=Exact", 422],
    ["resourceVersion=0&resourceVersionMatch=Exact", 422],
  ])("with %s is rejected with %i", async (query, status) => {
    await using server = await startWithPods("a");
    const answer = await server.get(`${podsPath}?${query}`);
    expect(answer.status).toBe(status);
    expect(answer.json.kind).toBe("Status");
  });

  test("a token expires after ten minutes, and the response has a token that continues at the present revision", async () => {
    await using server = await startWithPods("a", "b", "c", "d", "e");
    const { metadata: first } = (await server.get(`${podsPath}?limit=1`)).json;
    await server.clock.advance(9 * 60_000);
    const { metadata: second } = (await server.get(`${podsPath}?limit=1&continue=${first.continue}`)).json;
    expect(second.resourceVersion).toBe(first.resourceVersion);
    await server.post(podsPath, aPod("bb"));
    await server.clock.advance(90_000);
    // The age counts from the first page of the list.
    const expired = await server.get(`${podsPath}?limit=1&continue=${second.continue}`);
    expect([expired.status, expired.json.reason, expired.json.message]).toEqual([
      410,
      "Expired",
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    ]);
    const rest = await server.get(`${podsPath}?limit=2&continue=${expired.json.metadata.continue}`);
    expect(namesOf(rest.json.items)).toEqual(["bb", "c"]);
    expect(Number(rest.json.metadata.resourceVersion)).toBeGreaterThan(Number(first.resourceVersion));
    await server.post(podsPath, aPod("dd"));
    const last = await server.get(`${podsPath}?continue=${rest.json.metadata.continue}`);
    expect([namesOf(last.json.items), last.json.metadata.resourceVersion]).toEqual([
      ["d", "e"],
      rest.json.metadata.resourceVersion,
    ]);
  });

  test("a token of one list is invalid for another list", async () => {
    await using server = await startWithPods("a", "b");
    await server.post("/api/v1/namespaces/default/secrets", { metadata: { name: "s" } });
    const { json: list } = await server.get(`${podsPath}?limit=1`);
    expect((await server.get(`/api/v1/namespaces/default/secrets?continue=${list.metadata.continue}`)).status).toBe(
      400,
    );
  });

  test("a long list is sent in chunks with the same content", async () => {
    await using server = await TestServer.start();
    const big = "x".repeat(100_000);
    for (let i = 0; i < 10; i++) {
      await server.post("/api/v1/namespaces/default/configmaps", { metadata: { name: `c${i}` }, data: { big } });
    }
    const response = await server.send("GET", "/api/v1/configmaps");
    expect(response.body).not.toBeInstanceOf(Uint8Array);
    expect((await server.get("/api/v1/configmaps")).json.items).toHaveLength(10);
  });
});

describe("other forms", () => {
  const table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

  test("a Table has columns, and rows with the objects' metadata", async () => {
    await using server = await startWithPods("a");
    const { json } = await server.get(podsPath, { headers: { accept: table } });
    expect(json).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
    expect(json.columnDefinitions.map((column: { name: string }) => column.name).slice(0, 3)).toEqual([
      "Name",
      "Ready",
      "Status",
    ]);
    expect(json.rows[0].cells.slice(0, 3)).toEqual(["a", "0/1", "Pending"]);
    expect(json.rows[0].object).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "a" } });
    const one = await server.get(`${podsPath}/a?includeObject=None`, { headers: { accept: table } });
    expect(one.json.rows).toHaveLength(1);
    expect(one.json.rows[0].object).toBeNull();
  });

  test("metadata alone can be requested", async () => {
    await using server = await startWithPods("a");
    const accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    const { json } = await server.get(podsPath, { headers: { accept } });
    expect(json.kind).toBe("PartialObjectMetadataList");
    expect(json.items[0].spec).toBeUndefined();
  });

  test("an unsupported form is rejected", async () => {
    await using server = await startWithPods("a");
    const answer = await server.get(podsPath, { headers: { accept: "application/xml" } });
    expect(answer.status).toBe(406);
    const either = await server.get(podsPath, {
      headers: { accept: "application/xml,application/json" },
    });
    expect(either.status).toBe(200);
  });
});

test("events are the same objects in both of their groups", async () => {
  await using server = await TestServer.start();
  const event = {
    metadata: { name: "e1", namespace: "default" },
    involvedObject: { kind: "Pod", name: "web", namespace: "default", uid: "u1" },
    reason: "Started",
    message: "Started container",
    type: "Normal",
    count: 2,
    source: { component: "kubelet" },
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:05Z",
  };
  expect((await server.post("/api/v1/namespaces/default/events", event)).status).toBe(201);
  const { json } = await server.get(
    "/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=regarding.name%3Dweb",
  );
  expect(json.items[0]).toMatchObject({
    apiVersion: "events.k8s.io/v1",
    regarding: { name: "web" },
    note: "Started container",
    deprecatedCount: 2,
    deprecatedSource: { component: "kubelet" },
  });
  const selector = "involvedObject.name%3Dweb,involvedObject.uid%3Du1,involvedObject.namespace%3Ddefault";
  expect((await server.get(`/api/v1/events?fieldSelector=${selector}`)).json.items).toHaveLength(1);
});

test("events are selected by each group's own names for their fields", async () => {
  await using server = await TestServer.start();
  const core = "/api/v1/namespaces/default/events";
  const newer = "/apis/events.k8s.io/v1/namespaces/default/events";
  const involvedObject = { kind: "Pod", name: "web", namespace: "default" };
  const reporters = { e1: { reportingComponent: "a" }, e2: { reportingComponent: "b", source: { component: "" } } };
  for (const [name, reporter] of Object.entries(reporters))
    await server.post(core, { metadata: { name }, involvedObject, type: "Normal", reason: "Test", ...reporter });
  const namesBy = async (path: string, selector: string) => {
    const { json } = await server.get(`${path}?fieldSelector=${encodeURIComponent(selector)}`);
    return json.items?.map((event: { metadata: { name: string } }) => event.metadata.name) ?? json.message;
  };
  expect(await namesBy(newer, "reportingController=b,reason=Test,type=Normal,regarding.kind=Pod")).toEqual(["e2"]);
  expect(await namesBy(newer, "reportingController!=b,metadata.namespace=default")).toEqual(["e1"]);
  expect(await namesBy(core, "reportingComponent=b,source=b")).toEqual(["e2"]);
  for (const field of ["source", "involvedObject.kind", "reportingComponent", "constructor"])
    expect(await namesBy(newer, `${field}=x`)).toBe(`field label not supported: ${field}`);
  for (const field of ["reportingController", "regarding.kind"])
    expect(await namesBy(core, `${field}=x`)).toBe(`field label not supported: ${field}`);
});

test("events are removed at the end of their lifetime", async () => {
  await using server = await TestServer.start({ eventTtlMs: 10 * 60_000 });
  const event = { metadata: { name: "e1" }, involvedObject: { namespace: "default", kind: "Pod", name: "a" } };
  await server.post("/api/v1/namespaces/default/events", event);
  await server.clock.advance(9 * 60_000);
  expect((await server.get("/api/v1/events")).json.items).toHaveLength(1);
  await server.clock.advance(2 * 60_000);
  expect((await server.get("/api/v1/events")).json.items).toHaveLength(0);
});
