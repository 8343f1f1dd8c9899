import { Deployment, describeSchema } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { encodeProtobuf } from "../protobuf/testing/encode-protobuf.ts";
import { TestServer } from "../testing/test-server.ts";

const path = "/apis/apps/v1/namespaces/default/deployments";
const web = `${path}/web`;
const strategic = { contentType: "application/strategic-merge-patch+json" };
const labels = { app: "web" };

const aDeployment = (spec: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", labels },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "busybox:1.36" }] } },
    ...spec,
  },
});

async function startWithDeployment(spec: object = {}): Promise<TestServer> {
  const server = await TestServer.start();
  await server.post(path, aDeployment(spec));
  return server;
}

describe("a deployment", () => {
  test("is created from protobuf with its defaults and without the sent status", async () => {
    await using server = await TestServer.start();
    const body = encodeProtobuf(
      { ...aDeployment({ replicas: 2, strategy: {} }), status: { replicas: 7 } },
      describeSchema(Deployment),
    );
    const created = await server.post(path, body, { contentType: "application/vnd.kubernetes.protobuf" });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({
      metadata: { name: "web", generation: 1 },
      spec: {
        replicas: 2,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        template: { spec: { containers: [{ name: "c", image: "busybox:1.36" }] } },
      },
      status: {},
    });
    expect(created.json.status.replicas).toBeUndefined();
  });

  test("counts only changes of its spec as generations", async () => {
    await using server = await startWithDeployment();
    const generationAfter = async (patch: object, at = web) => {
      const answer = await server.patch(at, patch);
      expect(answer.status).toBe(200);
      return (await server.get(web)).json.metadata.generation;
    };
    expect(await generationAfter({ metadata: { annotations: { a: "b" } } })).toBe(1);
    expect(await generationAfter({ status: { replicas: 1 } })).toBe(1);
    expect(await generationAfter({ status: { replicas: 1 } }, `${web}/status`)).toBe(1);
    expect(await generationAfter({ spec: { paused: true } })).toBe(2);
    expect(await generationAfter({ spec: { replicas: 3 } }, `${web}/scale`)).toBe(3);
    expect(await generationAfter({ spec: { replicas: 3 } })).toBe(3);
  });

  test("keeps its labels and spec when its status is written, but accepts annotations such as the revision", async () => {
    await using server = await startWithDeployment();
    const { json: before } = await server.get(web);
    const revision = { "deployment.kubernetes.io/revision": "1" };
    const answer = await server.put(`${web}/status`, {
      ...before,
      metadata: { ...before.metadata, labels: { other: "label" }, annotations: revision },
      spec: { ...before.spec, replicas: 9 },
      status: { observedGeneration: 1, replicas: 1 },
    });
    expect(answer.status).toBe(200);
    const { json: after } = await server.get(web);
    expect(after.metadata).toMatchObject({ labels, annotations: revision, generation: 1 });
    expect(after.metadata.labels).toEqual(labels);
    expect(after.spec).toEqual(before.spec);
    expect(after.status).toEqual({ observedGeneration: 1, replicas: 1 });
  });

  test("gets no labels from a status write when it has no labels", async () => {
    await using server = await startWithDeployment();
    await server.patch(web, { metadata: { labels: null } });
    await server.patch(`${web}/status`, { metadata: { labels }, status: { replicas: 1 } });
    const { json: after } = await server.get(web);
    expect(after.status.replicas).toBe(1);
    expect(after.metadata.labels).toBeUndefined();
  });

  test("is scaled by its scale, which reports the number of pods and their selector", async () => {
    await using server = await startWithDeployment({ replicas: 2 });
    await server.patch(`${web}/status`, { status: { replicas: 2 } });
    const { json: scale } = await server.get(`${web}/scale`);
    expect(scale).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "web", namespace: "default" },
      spec: { replicas: 2 },
      status: { replicas: 2, selector: "app=web" },
    });
    expect((await server.put(`${web}/scale`, { ...scale, spec: { replicas: 5 } })).status).toBe(200);
    // The scale has the revision before the last change, so it conflicts.
    expect((await server.put(`${web}/scale`, { ...scale, spec: { replicas: 6 } })).status).toBe(409);
    expect((await server.patch(`${web}/scale`, { spec: { replicas: -1 } })).status).toBe(422);
    const { json: after } = await server.get(web);
    expect(after).toMatchObject({ spec: { replicas: 5, template: { spec: { containers: [{ name: "c" }] } } } });
    expect(after.metadata.generation).toBe(2);
  });

  test("changes its strategy by a patch that names the fields to keep, as kubectl apply sends it", async () => {
    await using server = await startWithDeployment({ strategy: { rollingUpdate: { maxSurge: 2 } } });
    const recreate = { spec: { strategy: { type: "Recreate" } } };
    const kept = await server.patch(web, recreate, strategic);
    expect(kept.status).toBe(422);
    expect(kept.json.message).toContain("may not be specified when strategy `type` is 'Recreate'");
    const swap = { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } };
    const swapped = await server.patch(web, swap, strategic);
    expect(swapped.status).toBe(200);
    expect(swapped.json.spec.strategy).toEqual({ type: "Recreate" });
    const back = {
      spec: {
        strategy: {
          $retainKeys: ["rollingUpdate", "type"],
          type: "RollingUpdate",
          rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
        },
      },
    };
    expect((await server.patch(web, back, strategic)).json.spec.strategy).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
    });
  });
});
