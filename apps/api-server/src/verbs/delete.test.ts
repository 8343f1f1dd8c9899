import { DeleteOptions, describeSchema } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { encodeProtobuf } from "../protobuf/testing/encode-protobuf.ts";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

const web = `${podsPath}/web`;
const configMaps = "/api/v1/namespaces/default/configmaps";

async function startWithBoundPod(extra: { spec?: object; metadata?: object } = {}): Promise<TestServer> {
  const server = await TestServer.start();
  await server.post("/api/v1/nodes", { metadata: { name: "n1" } });
  await server.post(podsPath, aPod("web", extra));
  const bound = await server.post(`${web}/binding`, {
    metadata: { name: "web" },
    target: { kind: "Node", name: "n1" },
  });
  expect(bound.status).toBe(201);
  return server;
}

describe("deleting a pod", () => {
  test("without a node removes it immediately", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("web"));
    const answer = await server.delete(web);
    expect(answer.json).toMatchObject({ kind: "Pod", metadata: { name: "web" } });
    expect((await server.get(web)).status).toBe(404);
  });

  test("that runs gives it its grace period, and the kubelet's delete without a grace period removes it", async () => {
    await using server = await startWithBoundPod();
    const answer = await server.delete(web);
    expect(answer.json.metadata).toMatchObject({
      deletionTimestamp: "2026-01-01T00:00:30Z",
      deletionGracePeriodSeconds: 30,
      generation: 2,
    });
    const { json: pod } = await server.get(web);
    await server.delete(web, { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } });
    expect((await server.get(web)).status).toBe(404);
  });

  test("a second time only shortens its grace period", async () => {
    await using server = await startWithBoundPod();
    await server.delete(web);
    const later = await server.delete(web, { gracePeriodSeconds: 60 });
    expect(later.json.metadata.deletionTimestamp).toBe("2026-01-01T00:00:30Z");
    const sooner = await server.delete(web, { gracePeriodSeconds: 5 });
    expect(sooner.json.metadata).toMatchObject({
      deletionTimestamp: "2026-01-01T00:00:05Z",
      deletionGracePeriodSeconds: 5,
    });
  });

  test("with a grace period beyond every clock is shortened by a second delete", async () => {
    await using server = await startWithBoundPod();
    const far = await server.delete(web, { gracePeriodSeconds: 1e15 });
    expect(far.json.metadata).toMatchObject({
      deletionTimestamp: "2094-01-19T03:14:07Z",
      deletionGracePeriodSeconds: 2 ** 31 - 1,
    });
    const sooner = await server.delete(web, { gracePeriodSeconds: 80 });
    expect(sooner.json.metadata).toMatchObject({
      deletionTimestamp: "2026-01-01T00:01:20Z",
      deletionGracePeriodSeconds: 80,
    });
  });

  test("that has ended removes it immediately", async () => {
    await using server = await startWithBoundPod();
    await server.patch(`${web}/status`, { status: { phase: "Failed" } });
    await server.delete(web);
    expect((await server.get(web)).status).toBe(404);
  });

  test("with finalizers waits for the last finalizer", async () => {
    await using server = await startWithBoundPod({ metadata: { finalizers: ["example.com/keep"] } });
    await server.delete(web, { gracePeriodSeconds: 0 });
    expect((await server.get(web)).json.metadata.deletionTimestamp).toBeDefined();
    const added = await server.patch(web, { metadata: { finalizers: ["example.com/keep", "example.com/more"] } });
    expect(added.status).toBe(422);
    const released = await server.patch(web, { metadata: { finalizers: null } });
    expect(released.status).toBe(200);
    expect((await server.get(web)).status).toBe(404);
  });

  test("with another UID or another version is rejected", async () => {
    await using server = await startWithBoundPod();
    const uid = await server.delete(web, { preconditions: { uid: "other" } });
    expect(uid.status).toBe(409);
    expect(uid.json.message).toContain("Precondition failed: UID in precondition: other");
    expect((await server.delete(web, { preconditions: { resourceVersion: "1" } })).status).toBe(409);
  });

  test("that does not exist is rejected", async () => {
    await using server = await TestServer.start();
    expect((await server.delete(web)).json).toMatchObject({ reason: "NotFound", message: 'pods "web" not found' });
  });

  test("with a dry run does not change the object", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("web"));
    expect((await server.delete(`${web}?dryRun=All`)).status).toBe(200);
    expect((await server.get(web)).status).toBe(200);
  });
});

describe("dependents of a deleted object", () => {
  test.each([
    ["Foreground", ["foregroundDeletion"]],
    ["Orphan", ["orphan"]],
  ])("with propagation %s the object waits under %j", async (propagationPolicy, finalizers) => {
    await using server = await TestServer.start();
    await server.post(configMaps, { metadata: { name: "c" } });
    const answer = await server.delete(`${configMaps}/c`, { propagationPolicy });
    expect(answer.json.metadata.finalizers).toEqual(finalizers);
    expect(answer.json.metadata.deletionTimestamp).toBe("2026-01-01T00:00:00Z");
  });

  test("in the background the object is removed immediately, and a Status is returned", async () => {
    await using server = await TestServer.start();
    const { json: created } = await server.post(configMaps, { metadata: { name: "c" } });
    const answer = await server.delete(`${configMaps}/c`, {
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: "Background",
    });
    expect(answer.json).toMatchObject({
      kind: "Status",
      status: "Success",
      details: { name: "c", kind: "configmaps", uid: created.metadata.uid },
    });
  });
});

test("a namespace is removed when its controller has finalized it; system namespaces are never removed", async () => {
  await using server = await TestServer.start();
  const path = "/api/v1/namespaces/team";
  await server.post("/api/v1/namespaces", { metadata: { name: "team" } });
  const deleted = await server.delete(path);
  expect(deleted.json).toMatchObject({ status: { phase: "Terminating" }, metadata: { name: "team" } });
  await server.put(path, { ...deleted.json, metadata: { ...deleted.json.metadata, resourceVersion: "" }, spec: {} });
  expect((await server.get(path)).json.spec.finalizers).toEqual(["kubernetes"]);
  const { json: namespace } = await server.get(path);
  expect((await server.put(`${path}/finalize`, { ...namespace, spec: { finalizers: [] } })).status).toBe(200);
  expect((await server.get(path)).status).toBe(404);
  expect((await server.delete("/api/v1/namespaces/default")).json).toMatchObject({ reason: "Forbidden" });
});

test("a delete of a collection removes the objects that its selectors match", async () => {
  await using server = await TestServer.start();
  for (const name of ["a", "b", "c"])
    await server.post(podsPath, aPod(name, { labels: { keep: name === "c" ? "yes" : "no" } }));
  const answer = await server.delete(`${podsPath}?labelSelector=keep%3Dno`);
  expect(answer.json.items).toHaveLength(2);
  expect(
    (await server.get(podsPath)).json.items.map((pod: { metadata: { name: string } }) => pod.metadata.name),
  ).toEqual(["c"]);
});

describe("options in protobuf", () => {
  const protobuf = { contentType: "application/vnd.kubernetes.protobuf" };
  const optionsOf = (apiVersion: string, options: { gracePeriodSeconds?: number; preconditions?: { uid: string } }) =>
    encodeProtobuf({ apiVersion, kind: "DeleteOptions", ...options }, describeSchema(DeleteOptions));

  test.each(["v1", "meta.k8s.io/v1", "apps/v1"])("of the API version %s are parsed", async (apiVersion) => {
    await using server = await startWithBoundPod();
    const other = await server.delete(web, optionsOf(apiVersion, { preconditions: { uid: "other" } }), protobuf);
    expect(other.status).toBe(409);
    expect((await server.delete(web, optionsOf(apiVersion, { gracePeriodSeconds: 0 }), protobuf)).status).toBe(200);
    expect((await server.get(web)).status).toBe(404);
  });

  test("delete a collection", async () => {
    await using server = await startWithBoundPod();
    const answer = await server.delete(podsPath, optionsOf("v1", { gracePeriodSeconds: 0 }), protobuf);
    expect(answer).toMatchObject({ status: 200, json: { kind: "PodList", items: [{ metadata: { name: "web" } }] } });
    expect((await server.get(podsPath)).json.items).toEqual([]);
  });

  test("create nothing", async () => {
    await using server = await TestServer.start();
    expect(await server.post(podsPath, optionsOf("v1", {}), protobuf)).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining("cannot be handled as a Pod") },
    });
  });
});

describe("deleting a Job", () => {
  const path = "/apis/batch/v1/namespaces/default/jobs";
  const job = {
    metadata: { name: "sum" },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
  };

  test.each<[string, object | undefined, string[] | undefined]>([
    ["keeps its pods unless the request specifies otherwise", undefined, ["orphan"]],
    ["deletes its pods if the request specifies it", { propagationPolicy: "Background" }, undefined],
    ["waits for its pods if the request specifies it", { propagationPolicy: "Foreground" }, ["foregroundDeletion"]],
  ])("%s", async (_what, options, finalizers) => {
    await using server = await TestServer.start();
    expect((await server.post(path, job)).status).toBe(201);
    await server.delete(`${path}/sum`, options);
    expect((await server.get(`${path}/sum`)).json.metadata?.finalizers).toEqual(finalizers);
  });

  test("a second time keeps the first decision", async () => {
    await using server = await TestServer.start();
    await server.post(path, job);
    await server.delete(`${path}/sum`, { propagationPolicy: "Foreground" });
    await server.delete(`${path}/sum`);
    expect((await server.get(`${path}/sum`)).json.metadata.finalizers).toEqual(["foregroundDeletion"]);
  });
});

test("a new Job has a selector of its own, and appliers own none of its fields", async () => {
  await using server = await TestServer.start();
  const path = "/apis/batch/v1/namespaces/default/jobs";
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  const { json } = await server.post(path, { metadata: { name: "sum" }, spec: { template }, status: { succeeded: 7 } });
  expect(json.spec.selector.matchLabels).toEqual({ "batch.kubernetes.io/controller-uid": json.metadata.uid });
  expect(json.status).toEqual({});
  expect(JSON.stringify(json.metadata.managedFields)).not.toContain("controller-uid");
});
