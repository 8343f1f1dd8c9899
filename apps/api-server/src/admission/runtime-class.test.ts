import { expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

async function startWith(name: string, body: object): Promise<TestServer> {
  const server = await TestServer.start();
  const created = await server.post("/apis/node.k8s.io/v1/runtimeclasses", { metadata: { name }, ...body });
  expect(created.status).toBe(201);
  return server;
}

const podOf = (name: string, spec: object = {}) => aPod(name, { spec: { runtimeClassName: "kata", ...spec } });
const overhead = { podFixed: { memory: "64Mi", cpu: "250m" } };

test("a pod gets the overhead and the scheduling rules of its class", async () => {
  const tolerations = [{ key: "kata", operator: "Exists" }];
  await using server = await startWith("kata", {
    handler: "kata",
    overhead,
    scheduling: { nodeSelector: { kata: "yes" }, tolerations },
  });
  const { json: pod } = await server.post(podsPath, podOf("p", { nodeSelector: { disk: "ssd" }, tolerations }));
  expect(pod.spec).toMatchObject({ overhead: overhead.podFixed, nodeSelector: { disk: "ssd", kata: "yes" } });
  expect(pod.spec.tolerations.filter(({ key }: { key: string }) => key === "kata")).toHaveLength(1);
  const same = podOf("q", { overhead: { memory: "65536Ki", cpu: "0.25" } });
  expect((await server.post(podsPath, same)).status).toBe(201);
});

const refusals: [name: string, runtimeClass: object, spec: object, refusal: string][] = [
  ["names a missing class", {}, { runtimeClassName: "gvisor" }, 'RuntimeClass "gvisor" not found'],
  [
    "has another overhead",
    { overhead },
    { overhead: { memory: "1Mi" } },
    "Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
  [
    "has an overhead that its class lacks",
    {},
    { overhead: { memory: "1Mi" } },
    "Pod Overhead set without corresponding RuntimeClass defined Overhead",
  ],
  [
    "has an overhead without a class",
    {},
    { runtimeClassName: undefined, overhead: { memory: "1Mi" } },
    "Pod Overhead set without corresponding RuntimeClass defined Overhead",
  ],
  [
    "contradicts the class's node selector",
    { scheduling: { nodeSelector: { a: "b" } } },
    { nodeSelector: { a: "c" } },
    "conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = c",
  ],
];

test.each(refusals)("a pod that %s is rejected", async (_name, runtimeClass, spec, refusal) => {
  await using server = await startWith("kata", { handler: "kata", ...runtimeClass });
  expect(await server.post(podsPath, podOf("p", spec))).toMatchObject({
    status: 403,
    json: { reason: "Forbidden", message: `pods "p" is forbidden: pod rejected: ${refusal}` },
  });
});

test("the class's handler is stored and shown in its table", async () => {
  await using server = await startWith("kata", { handler: "kata" });
  const path = "/apis/node.k8s.io/v1/runtimeclasses";
  expect((await server.patch(`${path}/kata`, { handler: "other" })).status).toBe(422);
  const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
  const { json: table } = await server.get(path, { headers: { accept } });
  expect(table.rows[0].cells.slice(0, 2)).toEqual(["kata", "kata"]);
});
