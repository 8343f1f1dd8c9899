import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

const web = `${podsPath}/web`;
const configMap = "/api/v1/namespaces/default/configmaps/c";

async function startWithPod(): Promise<TestServer> {
  const server = await TestServer.start();
  await server.post(podsPath, aPod("web", { labels: { app: "web" } }));
  return server;
}

describe("replacing", () => {
  test("of several writers with the same resourceVersion exactly one wins", async () => {
    await using server = await startWithPod();
    const { json: pod } = await server.get(web);
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => server.put(web, { ...pod, metadata: { ...pod.metadata, labels: { n: String(n) } } })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.json).toMatchObject({
      reason: "Conflict",
      message:
        'Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again',
    });
  });

  test("with the UID of another object is rejected", async () => {
    await using server = await startWithPod();
    const { json: pod } = await server.get(web);
    const answer = await server.put(web, { ...pod, metadata: { ...pod.metadata, uid: "other", resourceVersion: "" } });
    expect(answer.status).toBe(409);
    expect(answer.json.message).toContain("UID in precondition: other");
  });

  test("an unchanged object is not written", async () => {
    await using server = await startWithPod();
    const { json: pod } = await server.get(web);
    const answer = await server.put(web, pod);
    expect(answer.status).toBe(200);
    expect(answer.json.metadata.resourceVersion).toBe(pod.metadata.resourceVersion);
  });

  test("a pod's spec is rejected except for its mutable fields", async () => {
    await using server = await startWithPod();
    const { json: pod } = await server.get(web);
    const changed = await server.put(web, { ...pod, spec: { ...pod.spec, restartPolicy: "Never" } });
    expect(changed.status).toBe(422);
    expect(changed.json.message).toContain("pod updates may not change fields other than");
    pod.spec.containers[0].image = "busybox:1.37";
    const image = await server.put(web, pod);
    expect(image.status).toBe(200);
    expect(image.json.metadata.generation).toBe(2);
  });

  test("the spec does not change the status, and replacing the status does not change the spec", async () => {
    await using server = await startWithPod();
    const { json: pod } = await server.get(web);
    const status = await server.put(`${web}/status`, {
      ...pod,
      spec: { ...pod.spec, restartPolicy: "Never" },
      status: { phase: "Running" },
    });
    expect(status.json).toMatchObject({ status: { phase: "Running" }, spec: { restartPolicy: "Always" } });
    const metadata = { ...status.json.metadata, labels: { a: "b" } };
    const spec = await server.put(web, { ...status.json, metadata, status: { phase: "Failed" } });
    expect(spec.json).toMatchObject({ status: { phase: "Running" }, metadata: { labels: { a: "b" }, generation: 1 } });
  });

  test.each([
    ["another name", { metadata: { name: "other" }, data: {} }, 400],
    ["a resourceVersion of letters", { metadata: { name: "c", resourceVersion: "abc" }, data: {} }, 409],
  ])("with %s is rejected", async (_what, body, status) => {
    await using server = await TestServer.start();
    await server.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "c" } });
    expect((await server.put(configMap, body)).status).toBe(status);
  });

  test("a missing object is rejected, or creates it where upstream creates it", async () => {
    await using server = await TestServer.start();
    expect((await server.put(configMap, { metadata: { name: "c" } })).status).toBe(404);
    const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1";
    const created = await server.put(lease, { metadata: { name: "n1" }, spec: { holderIdentity: "n1" } });
    expect(created.status).toBe(201);
    expect((await server.put(lease, { metadata: { name: "n1" }, spec: {} })).status).toBe(422);
  });
});

describe("patching", () => {
  test.each([
    ["application/merge-patch+json", { metadata: { labels: { app: null, tier: "front" } } }],
    ["application/strategic-merge-patch+json", { metadata: { labels: { app: null, tier: "front" } } }],
    [
      "application/json-patch+json",
      [
        { op: "remove", path: "/metadata/labels/app" },
        { op: "add", path: "/metadata/labels/tier", value: "front" },
      ],
    ],
  ])("with %s changes the named fields", async (contentType, body) => {
    await using server = await startWithPod();
    const answer = await server.patch(web, body, { contentType });
    expect(answer.status).toBe(200);
    expect(answer.json.metadata.labels).toEqual({ tier: "front" });
  });

  test("strategically merges lists by their keys", async () => {
    await using server = await startWithPod();
    const body = { spec: { containers: [{ name: "main", image: "busybox:2" }] } };
    const answer = await server.patch(web, body, { contentType: "application/strategic-merge-patch+json" });
    expect(answer.json.spec.containers).toHaveLength(1);
    expect(answer.json.spec.containers[0]).toMatchObject({
      image: "busybox:2",
      terminationMessagePath: "/dev/termination-log",
    });
  });

  test("many times concurrently succeeds without a lost update", async () => {
    await using server = await startWithPod();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => server.patch(web, { metadata: { annotations: { [`a${i}`]: "x" } } })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const { json: pod } = await server.get(web);
    expect(Object.keys(pod.metadata.annotations)).toHaveLength(50);
  });

  test("with a resourceVersion is conditional", async () => {
    await using server = await startWithPod();
    const { json: pod } = await server.get(web);
    const stale = { metadata: { resourceVersion: pod.metadata.resourceVersion, labels: { a: "1" } } };
    expect((await server.patch(web, stale)).status).toBe(200);
    expect((await server.patch(web, { ...stale, metadata: { ...stale.metadata, labels: { a: "2" } } })).status).toBe(
      409,
    );
  });

  test.each([
    ["a merge patch in CBOR", "application/merge-patch+cbor", "{}", 415],
    ["an invalid type", "application/json", "{}", 415],
    ["half of a document", "application/merge-patch+json", "{", 400],
    ["a test that fails", "application/json-patch+json", '[{"op":"test","path":"/kind","value":"Node"}]', 422],
    ["another name", "application/merge-patch+json", '{"metadata":{"name":"b"}}', 400],
    ["another kind", "application/merge-patch+json", '{"kind":"Node"}', 400],
  ])("with %s is rejected", async (_what, contentType, body, status) => {
    await using server = await startWithPod();
    expect((await server.patch(web, body, { contentType })).status).toBe(status);
  });
});

test("the scale of a ReplicaSet is read, patched and replaced", async () => {
  await using server = await TestServer.start();
  const path = "/apis/apps/v1/namespaces/default/replicasets";
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "x" }] } };
  await server.post(path, { metadata: { name: "rs" }, spec: { selector: { matchLabels: { a: "b" } }, template } });
  const patched = await server.patch(`${path}/rs/scale`, { spec: { replicas: 5 } });
  expect(patched.json).toMatchObject({
    kind: "Scale",
    spec: { replicas: 5 },
    status: { replicas: 0, selector: "a=b" },
  });
  const stale = { ...patched.json, metadata: { ...patched.json.metadata, resourceVersion: "1" } };
  expect((await server.put(`${path}/rs/scale`, stale)).status).toBe(409);
  const none = await server.patch(`${path}/rs/scale`, { spec: { replicas: -1 } });
  expect(none.json).toMatchObject({
    code: 422,
    message: 'Scale.autoscaling "rs" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  });
  await server.put(`${path}/rs/scale`, { ...patched.json, spec: { replicas: 2 } });
  const { json: replicaSet } = await server.get(`${path}/rs`);
  expect(replicaSet).toMatchObject({ spec: { replicas: 2 }, metadata: { generation: 3 } });
});

test("the generation of a PodTemplate counts changes of its template", async () => {
  await using server = await TestServer.start();
  const path = "/api/v1/namespaces/default/podtemplates";
  const template = { metadata: { labels: { a: "1" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const { json } = await server.post(path, { metadata: { name: "t" }, template });
  expect(json.metadata.generation).toBe(1);
  const labelled = await server.put(`${path}/t`, { ...json, metadata: { ...json.metadata, labels: { b: "2" } } });
  expect(labelled.json.metadata.generation).toBe(1);
  const changed = await server.put(`${path}/t`, { metadata: { name: "t" }, template: { ...template, metadata: {} } });
  expect(changed.json.metadata.generation).toBe(2);
});
