import { describe, expect, test } from "vitest";
import { kubeletThatAnswers } from "../testing/kubelet-that-answers.ts";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import type { KubeletDialer } from "../kubelet/kubelet-dialer.ts";

const web = `${podsPath}/web`;
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const toNode = (name: string) => ({ metadata: { name: "web" }, target: { kind: "Node", name } });

async function startWithPod(deps: { kubeletDialer?: KubeletDialer } = {}): Promise<TestServer> {
  const server = await TestServer.start({}, deps);
  await server.post(podsPath, aPod("web", { labels: { app: "web" } }));
  return server;
}

describe("binding", () => {
  test("assigns a pod to a node once", async () => {
    await using server = await startWithPod();
    const answers = await Promise.all(["n1", "n2"].map((node) => server.post(`${web}/binding`, toNode(node))));
    expect(answers.map(({ status }) => status)).toEqual([201, 409]);
    expect(answers[1]?.json.message).toBe(
      'Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n1"',
    );
    const { json: pod } = await server.get(web);
    expect(pod.spec.nodeName).toBe("n1");
    expect(pod.status.conditions).toMatchObject([{ type: "PodScheduled", status: "True" }]);
  });

  test("works by the collection as well", async () => {
    await using server = await startWithPod();
    expect((await server.post("/api/v1/namespaces/default/bindings", toNode("n1"))).status).toBe(201);
    expect((await server.get(web)).json.spec.nodeName).toBe("n1");
  });

  test.each([
    ["a pod of another UID", { metadata: { name: "web", uid: "x" }, target: { name: "n1" } }, 409],
    ["a missing node name", { metadata: { name: "web" }, target: {} }, 422],
    ["an object that is not a node", { metadata: { name: "web" }, target: { kind: "Pod", name: "n1" } }, 422],
  ])("for %s is rejected", async (_what, body, status) => {
    await using server = await startWithPod();
    expect((await server.post(`${web}/binding`, body)).status).toBe(status);
  });

  test("of a gated pod or of a pod that is being deleted is rejected", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("web", { spec: { schedulingGates: [{ name: "example.com/wait" }] } }));
    expect((await server.post(`${web}/binding`, toNode("n1"))).json.message).toContain(
      "has non-empty .spec.schedulingGates",
    );
    await server.post(podsPath, aPod("going", { metadata: { finalizers: ["example.com/x"] } }));
    await server.delete(`${podsPath}/going`);
    const late = await server.post(`${podsPath}/going/binding`, {
      metadata: { name: "going" },
      target: { name: "n1" },
    });
    expect(late.json.message).toContain("is being deleted, cannot be assigned to a host");
  });
});

test("a bound pod has its node's zone and region, and its nomination is removed", async () => {
  await using server = await startWithPod();
  const [zone, region] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];
  const labels = { [zone]: "z1", [region]: "r1", other: "x" };
  await server.post("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels } });
  await server.patch(`${web}/status`, { status: { nominatedNodeName: "n2" } });
  await server.post(`${web}/binding`, toNode("n1"));
  const { metadata, status } = (await server.get(web)).json;
  expect(metadata.labels).toMatchObject({ [zone]: "z1", [region]: "r1" });
  expect(metadata.labels.other).toBeUndefined();
  expect(status.nominatedNodeName).toBeUndefined();
});

describe("restart", () => {
  const restartedAt = async (server: TestServer) =>
    (await server.get(web)).json.metadata.annotations?.["kintsugi.dev/restartedAt"];

  test("notifies the kubelet by an annotation with a new value each time", async () => {
    await using server = await startWithPod();
    await server.post(`${web}/binding`, toNode("n1"));
    const answer = await server.post(`${web}/restart`, {});
    expect(answer.status).toBe(201);
    const first = await restartedAt(server);
    expect(first).toBe(answer.json.metadata.annotations["kintsugi.dev/restartedAt"]);
    await server.clock.advance(5);
    expect((await server.post(`${web}/restart?dryRun=All`, {})).status).toBe(201);
    expect(await restartedAt(server)).toBe(first);
    await server.post(`${web}/restart`, {});
    expect(await restartedAt(server)).not.toBe(first);
  });

  test("of a pod that is missing, unscheduled, being deleted or finished is rejected with a remedy", async () => {
    await using server = await startWithPod();
    expect((await server.post(`${podsPath}/none/restart`, {})).status).toBe(404);
    const early = await server.post(`${web}/restart`, {});
    expect(early.status).toBe(409);
    expect(early.json.message).toContain("pod web is not bound to a node yet");
    await server.post(`${web}/binding`, toNode("n1"));
    await server.patch(`${web}/status`, { status: { phase: "Succeeded" } });
    expect((await server.post(`${web}/restart`, {})).json.message).toContain(
      "has ended (Succeeded) and never runs again",
    );
    await server.post(podsPath, aPod("going", { metadata: { finalizers: ["example.com/x"] } }));
    await server.delete(`${podsPath}/going`);
    expect((await server.post(`${podsPath}/going/restart`, {})).json.message).toContain("is being deleted");
  });
});

describe("eviction", () => {
  const evict = (server: TestServer, name = "web") =>
    server.post(`${podsPath}/${name}/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } });

  async function startWithBudget(status: object): Promise<TestServer> {
    const server = await startWithPod();
    await server.post(budgets, {
      metadata: { name: "b" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
    });
    await server.patch(`${budgets}/b/status`, { status });
    for (const name of ["web", "web2", "web3"]) {
      if (name !== "web") await server.post(podsPath, aPod(name, { labels: { app: "web" } }));
      await server.post(`${podsPath}/${name}/binding`, { metadata: { name }, target: { name: "n1" } });
      await server.patch(`${podsPath}/${name}/status`, {
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      });
    }
    return server;
  }

  test("without a budget deletes the pod", async () => {
    await using server = await startWithPod();
    expect((await evict(server)).status).toBe(201);
    expect((await server.get(web)).status).toBe(404);
  });

  test("records in the pod's status that it is a disruption", async () => {
    await using server = await startWithBudget({ observedGeneration: 1, disruptionsAllowed: 1 });
    expect((await evict(server)).status).toBe(201);
    const { json: pod } = await server.get(web);
    expect(pod.metadata.deletionTimestamp).toBeDefined();
    const said = {
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    };
    expect(pod.status.conditions).toEqual([
      expect.objectContaining({ type: "Ready", status: "True" }),
      expect.objectContaining(said),
    ]);
    // An eviction also adds the condition to a pod that is already deleted, and only once.
    await server.delete(`${podsPath}/web2`);
    await evict(server, "web2");
    const { json: first } = await server.get(`${podsPath}/web2`);
    expect(first.status.conditions).toContainEqual(expect.objectContaining(said));
    await evict(server, "web2");
    expect((await server.get(`${podsPath}/web2`)).json.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  test("beyond the budget is rejected, however many clients evict concurrently", async () => {
    await using server = await startWithBudget({
      observedGeneration: 1,
      disruptionsAllowed: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
    });
    const answers = await Promise.all(["web", "web2", "web3"].map((name) => evict(server, name)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.json).toMatchObject({
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { causes: [{ reason: "DisruptionBudget" }] },
    });
    const { json: budget } = await server.get(`${budgets}/b`);
    expect(budget.status.disruptionsAllowed).toBe(0);
    expect(Object.keys(budget.status.disruptedPods)).toHaveLength(1);
  });

  test("is recorded with a time after the second of the pod's creation, so that it never matches a later pod of the same name", async () => {
    await using server = await startWithBudget({ observedGeneration: 1, disruptionsAllowed: 1 });
    const { json: pod } = await server.get(web);
    expect((await evict(server)).status).toBe(201);
    const { json: budget } = await server.get(`${budgets}/b`);
    expect(budget.status.disruptedPods.web > pod.metadata.creationTimestamp).toBe(true);
  });

  test("waits for a budget that its controller has not observed yet", async () => {
    await using server = await startWithBudget({ observedGeneration: 0, disruptionsAllowed: 1 });
    const answer = await evict(server);
    expect(answer.status).toBe(429);
    expect(answer.headers["retry-after"]).toBe("10");
  });

  test("of an unready pod is allowed while the budget is healthy", async () => {
    await using server = await startWithBudget({
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 2,
      desiredHealthy: 2,
    });
    await server.patch(`${web}/status`, { status: { conditions: [{ type: "Ready", status: "False" }] } });
    expect((await evict(server)).status).toBe(201);
    expect((await evict(server, "web2")).status).toBe(429);
  });
});

describe("logs", () => {
  async function startWithRunningPod(kubeletDialer: KubeletDialer): Promise<TestServer> {
    const server = await startWithPod({ kubeletDialer });
    const addresses = [{ type: "InternalIP", address: "10.1.0.2" }];
    const daemonEndpoints = { kubeletEndpoint: { Port: 10251 } };
    await server.post("/api/v1/nodes", { metadata: { name: "n1" }, status: { addresses, daemonEndpoints } });
    await server.post(`${web}/binding`, toNode("n1"));
    return server;
  }

  test("are fetched from the kubelet of the pod's node, with the options that were requested", async () => {
    const { asked, kubeletDialer } = kubeletThatAnswers(200, "hello\n");
    await using server = await startWithRunningPod(kubeletDialer);
    const answer = await server.get(`${web}/log?follow=true&tailLines=5&timestamps=true&evil=1`);
    expect(answer).toMatchObject({ status: 200, text: "hello\n" });
    expect(asked).toEqual(["n1 10.1.0.2:10251/containerLogs/default/web/main?tailLines=5&follow=true&timestamps=true"]);
  });

  test.each([
    ["container=other", 400, "container other is not valid for pod web"],
    ["tailLines=-1", 422, "tailLines"],
    ["sinceSeconds=5&sinceTime=2026-01-01T00:00:00Z", 422, "at most one of"],
  ])("with %s are rejected", async (query, status, message) => {
    const { kubeletDialer } = kubeletThatAnswers(200, "");
    await using server = await startWithRunningPod(kubeletDialer);
    const answer = await server.get(`${web}/log?${query}`);
    expect(answer.status).toBe(status);
    expect(answer.json.message).toContain(message);
  });

  test("that the kubelet refuses are rejected in its words", async () => {
    const text = 'previous terminated container "main" in pod "web" not found';
    const { kubeletDialer } = kubeletThatAnswers(400, text);
    await using server = await startWithRunningPod(kubeletDialer);
    expect((await server.get(`${web}/log?previous=true`)).json).toMatchObject({ reason: "BadRequest", message: text });
  });

  test("of a pod without a node are empty", async () => {
    const { asked, kubeletDialer } = kubeletThatAnswers(200, "x");
    await using server = await startWithPod({ kubeletDialer });
    expect(await server.get(`${web}/log`)).toMatchObject({ status: 200, text: "" });
    expect(asked).toEqual([]);
  });
});

describe("other endpoints of a pod", () => {
  test("ephemeral containers are added, not changed or removed", async () => {
    await using server = await startWithPod();
    const debug = { name: "debug", image: "busybox", targetContainerName: "main" };
    const contentType = "application/strategic-merge-patch+json";
    const added = await server.patch(
      `${web}/ephemeralcontainers`,
      { spec: { ephemeralContainers: [debug] } },
      { contentType },
    );
    expect(added.status).toBe(200);
    expect(added.json.spec.ephemeralContainers).toMatchObject([debug]);
    const changed = await server.patch(
      `${web}/ephemeralcontainers`,
      { spec: { ephemeralContainers: [{ name: "debug", image: "other" }] } },
      { contentType },
    );
    expect(changed.status).toBe(422);
    const removed = await server.patch(web, { spec: { ephemeralContainers: null } });
    expect(removed.json.spec.ephemeralContainers).toHaveLength(1);
  });

  test("resources are changed by resize", async () => {
    await using server = await startWithPod();
    const contentType = "application/strategic-merge-patch+json";
    const resources = { requests: { cpu: "200m" } };
    const image = { spec: { containers: [{ name: "main", image: "other" }] } };
    const { json: same } = await server.patch(`${web}/resize`, image, { contentType });
    expect(same.spec.containers[0].image).not.toBe("other");
    const qos = await server.patch(
      `${web}/resize`,
      { spec: { containers: [{ name: "main", resources }] } },
      { contentType },
    );
    // A change from best effort to burstable would change the pod's quality of service, which never
    // changes.
    expect(qos.status).toBe(422);
  });

  test("fields that are set through resize and ephemeralcontainers are owned through them", async () => {
    await using server = await TestServer.start();
    const resources = { requests: { cpu: "100m" } };
    await server.post(`${web.slice(0, web.lastIndexOf("/"))}?fieldManager=author`, {
      metadata: { name: "web" },
      spec: { containers: [{ name: "main", image: "busybox", resources }] },
    });
    const contentType = "application/strategic-merge-patch+json";
    const more = { name: "main", image: "other", resources: { requests: { cpu: "200m" } } };
    const changed = { metadata: { labels: { a: "b" } }, spec: { containers: [more] } };
    await server.patch(`${web}/resize?fieldManager=sizer`, changed, { contentType });
    const debug = { name: "debug", image: "busybox" };
    const { json: pod } = await server.patch(
      `${web}/ephemeralcontainers?fieldManager=looker`,
      { metadata: { labels: { a: "b" } }, spec: { ephemeralContainers: [debug] } },
      { contentType },
    );
    expect(pod.metadata.labels).toBeUndefined();
    expect(pod.spec.containers[0]).toMatchObject({ image: "busybox", resources: { requests: { cpu: "200m" } } });
    const owned = (manager: string) =>
      pod.metadata.managedFields.find((entry: { manager: string }) => entry.manager === manager);
    expect(owned("sizer")).toMatchObject({
      subresource: "resize",
      fieldsV1: {
        "f:spec": { "f:containers": { 'k:{"name":"main"}': { "f:resources": { "f:requests": { "f:cpu": {} } } } } },
      },
    });
    expect(Object.keys(owned("sizer").fieldsV1)).toEqual(["f:spec"]);
    expect(owned("looker")).toMatchObject({ subresource: "ephemeralcontainers" });
    expect(Object.keys(owned("looker").fieldsV1["f:spec"])).toEqual(["f:ephemeralContainers"]);
    const ofMain = owned("author").fieldsV1["f:spec"]["f:containers"]['k:{"name":"main"}'];
    expect(ofMain["f:image"]).toBeDefined();
    expect(ofMain["f:resources"]?.["f:requests"]?.["f:cpu"]).toBeUndefined();
  });

  test.each([
    ["GET", `${web}/exec`, 400],
    ["GET", `${web}/nothing`, 404],
    ["GET", `${web}/binding`, 405],
    ["DELETE", `${web}/status`, 405],
    ["POST", web, 405],
    ["POST", "/api/v1/namespaces/default/serviceaccounts/default/token", 404],
  ])("%s %s is answered with %i", async (method, path, status) => {
    await using server = await startWithPod();
    expect((await server.call(method, path, { body: {} })).status).toBe(status);
  });
});

test("the response to a kubelet's heartbeat carries the revisions of its node and pods", async () => {
  await using server = await startWithPod();
  const path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
  const { json: lease } = await server.post(path, {
    metadata: { name: "n1" },
    spec: { holderIdentity: "n1", leaseDurationSeconds: 40 },
  });
  expect((await server.put(`${path}/n1`, lease)).headers["kintsugi-node-pods-revision"]).toBe("0");
  await server.post(`${web}/binding`, toNode("n1"));
  const { json: pod } = await server.get(web);
  expect((await server.put(`${path}/n1`, lease)).headers["kintsugi-node-pods-revision"]).toBe(
    pod.metadata.resourceVersion,
  );
  expect((await server.put(`${path}/n1`, lease)).headers["kintsugi-node-revision"]).toBe("0");
  const { json: node } = await server.post("/api/v1/nodes", { metadata: { name: "n1" } });
  expect((await server.put(`${path}/n1`, lease)).headers["kintsugi-node-revision"]).toBe(node.metadata.resourceVersion);
});

test("discovery lists the verbs of each subresource that its handlers answer", async () => {
  await using server = await TestServer.start();
  const { resources } = (await server.get("/api/v1")).json;
  const verbs = Object.fromEntries(
    resources.map(({ name, verbs: listed }: { name: string; verbs: string[] }) => [name, listed]),
  );
  expect(verbs).toMatchObject({
    "pods/restart": ["create"],
    "pods/status": ["get", "patch", "update"],
    "pods/exec": ["create", "get"],
    "namespaces/finalize": ["update"],
  });
  const answers = await Promise.all(
    ["GET", "PUT", "PATCH"].map((method) => server.call(method, `${podsPath}/a/restart`)),
  );
  expect(answers.map(({ status }) => status)).toEqual([405, 405, 405]);
});
