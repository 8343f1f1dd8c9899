import { expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const review = { metadata: { name: "r" }, spec: { resourceAttributes: { verb: "get", resource: "pods" } } };

test.each([
  ["a review", reviews, review],
  ["a review of a token", "/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "t" } }],
  ["a binding", `${podsPath}/web/binding`, { metadata: { name: "web" }, target: { name: "n1" } }],
  [
    "a binding of the collection",
    "/api/v1/namespaces/default/bindings",
    { metadata: { name: "web" }, target: { name: "n1" } },
  ],
  ["an eviction", `${podsPath}/web/eviction`, { metadata: { name: "web" } }],
])("%s has no Table, and is not performed if only a Table is accepted", async (_what, path, body) => {
  await using server = await TestServer.start();
  await server.post(podsPath, aPod("web"));
  const refused = await server.post(path, body, { headers: { accept: table } });
  expect(refused).toMatchObject({
    status: 406,
    json: { reason: "NotAcceptable", message: expect.not.stringContaining("as=Table") },
  });
  const { json: pod } = await server.get(`${podsPath}/web`);
  expect([pod.spec.nodeName, pod.metadata.deletionTimestamp]).toEqual([undefined, undefined]);
  // kubectl accepts both, in this order.
  expect((await server.post(path, body, { headers: { accept: `${table},application/json` } })).status).toBe(201);
});

test("a review can be returned as its metadata alone", async () => {
  await using server = await TestServer.start();
  const accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  expect((await server.post(reviews, review, { headers: { accept } })).json).toEqual({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1",
    metadata: { name: "r" },
  });
});
