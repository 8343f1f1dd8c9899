import { expect, test } from "vitest";
import { TestServer } from "../../testing/test-server.ts";

const path = "/apis/networking.k8s.io/v1";
const defaultBackend = { service: { name: "web", port: { number: 80 } } };

function aClass(name: string, isDefault: boolean): object {
  const annotations = { "ingressclass.kubernetes.io/is-default-class": String(isDefault) };
  return { metadata: { name, annotations }, spec: { controller: "example.com/c" } };
}

async function classOf(server: TestServer, name: string, more: object = {}, metadata: object = {}): Promise<unknown> {
  const body = { metadata: { name, ...metadata }, spec: { defaultBackend, ...more } };
  const { json } = await server.post(`${path}/namespaces/default/ingresses`, body);
  return json.spec.ingressClassName;
}

test("an Ingress that names no class gets the newest default", async () => {
  await using server = await TestServer.start();
  expect(await classOf(server, "a")).toBeUndefined();
  await server.post(`${path}/ingressclasses`, aClass("old", true));
  await server.post(`${path}/ingressclasses`, aClass("other", false));
  expect(await classOf(server, "b")).toBe("old");
  await server.clock.advance(1000);
  await server.post(`${path}/ingressclasses`, aClass("young", true));
  expect(await classOf(server, "c")).toBe("young");
  expect(await classOf(server, "d", { ingressClassName: "mine" })).toBe("mine");
  expect(await classOf(server, "e", {}, { annotations: { "kubernetes.io/ingress.class": "mine" } })).toBeUndefined();
  await server.delete(`${path}/ingressclasses/young`);
  expect(await classOf(server, "f")).toBe("old");
});
