import { DaemonSet, describeSchema, type JsonObject } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { encodeProtobuf } from "../protobuf/testing/encode-protobuf.ts";
import { TestServer } from "../testing/test-server.ts";

const path = "/apis/apps/v1/namespaces/default/daemonsets";
const agent = `${path}/agent`;
const labels = { app: "agent" };
const generationKey = "deprecated.daemonset.template.generation";

const aDaemonSet = (spec: JsonObject = {}, annotations: JsonObject = {}) => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agent", labels, annotations },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "busybox:1.36" }] } },
    ...spec,
  },
});

async function startWithDaemonSet(): Promise<TestServer> {
  const server = await TestServer.start();
  await server.post(path, aDaemonSet());
  return server;
}

const strategic = { contentType: "application/strategic-merge-patch+json" };
const image = (name: string) => ({ spec: { template: { spec: { containers: [{ name: "c", image: name }] } } } });

describe("a daemon set", () => {
  test("is created from protobuf with its defaults and without the sent status", async () => {
    await using server = await TestServer.start();
    const status = {
      currentNumberScheduled: 7,
      numberMisscheduled: 7,
      desiredNumberScheduled: 7,
      numberReady: 7,
      numberAvailable: 7,
    };
    const body = encodeProtobuf({ ...aDaemonSet({ updateStrategy: {} }), status }, describeSchema(DaemonSet));
    const created = await server.post(path, body, { contentType: "application/vnd.kubernetes.protobuf" });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({
      metadata: { name: "agent", generation: 1, annotations: { [generationKey]: "1" } },
      spec: {
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
        template: { spec: { restartPolicy: "Always" } },
      },
    });
    expect(created.json.status).toEqual({
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    });
  });

  test("counts changes of its spec as generations, and of its template as template generations", async () => {
    await using server = await startWithDaemonSet();
    const after = async (patch: object, at = agent) => {
      const answer = await server.patch(at, patch, strategic);
      expect(answer.status).toBe(200);
      const { generation, annotations } = (await server.get(agent)).json.metadata;
      return [generation, annotations[generationKey]];
    };
    expect(await after({ metadata: { annotations: { a: "b" } } })).toEqual([1, "1"]);
    expect(await after({ status: { numberReady: 1 } }, `${agent}/status`)).toEqual([1, "1"]);
    expect(await after({ spec: { minReadySeconds: 3 } })).toEqual([2, "1"]);
    expect(await after(image("busybox:1.37"))).toEqual([3, "2"]);
  });

  test("has a template generation that clients can set in a create, and cannot change or remove later", async () => {
    await using server = await TestServer.start();
    const generation = async () => (await server.get(agent)).json.metadata.annotations[generationKey];
    await server.post(path, aDaemonSet({}, { [generationKey]: "7" }));
    expect(await generation()).toBe("7");
    await server.patch(agent, { metadata: { annotations: { [generationKey]: "99" } } });
    expect(await generation()).toBe("7");
    await server.patch(agent, { metadata: { annotations: null } });
    expect(await generation()).toBe("7");
    await server.patch(`${agent}/status`, { metadata: { annotations: { [generationKey]: "1" } } });
    expect(await generation()).toBe("7");
    const refused = await server.post(path, {
      ...aDaemonSet({}, { [generationKey]: "soon" }),
      metadata: { name: "other", annotations: { [generationKey]: "soon" } },
    });
    expect([refused.status, refused.json.message]).toEqual([422, expect.stringContaining("strconv.ParseInt")]);
  });

  test("has its own status and no scale", async () => {
    await using server = await startWithDaemonSet();
    await server.patch(agent, { status: { numberReady: 5 } });
    expect((await server.get(agent)).json.status.numberReady).toBe(0);
    await server.patch(`${agent}/status`, { status: { numberReady: 5 }, spec: { minReadySeconds: 9 } });
    const { spec, status } = (await server.get(agent)).json;
    expect([spec.minReadySeconds, status.numberReady]).toEqual([undefined, 5]);
    expect((await server.get(`${agent}/scale`)).status).toBe(404);
  });
});
