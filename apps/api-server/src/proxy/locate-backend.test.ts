import { SeededRandom } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import type { BackendDialer } from "./backend-dialer.ts";
import { locateWebhook } from "./locate-backend.ts";

const services = "/api/v1/namespaces/default/services";
const endpoints = "/api/v1/namespaces/default/endpoints";

/**
 * Starts a server whose pods all return the same answer, and records their URLs:
 * "http://10.64.1.5:80/x".
 */
async function startWithPods() {
  const asked: string[] = [];
  const backendDialer: BackendDialer = {
    send: async ({ scheme, address, port }, { path }) => {
      asked.push(`${scheme}://${address}:${port}${path}`);
      const body = [Buffer.from("hello")] as unknown as AsyncIterable<Uint8Array>;
      return { status: 200, headers: { "content-type": "text/plain" }, body, closed: Promise.resolve() };
    },
    upgrade: () => Promise.reject(new Error("not asked for")),
  };
  const server = await TestServer.start({}, { backendDialer });
  const addPod = async (name: string, ip: string, ports?: object[]) => {
    const containers = [
      { name: "side", image: "x" },
      { name: "main", image: "x", ...(ports && { ports }) },
    ];
    expect((await server.post(podsPath, aPod(name, { spec: { containers } }))).status).toBe(201);
    const status = { phase: "Running", podIP: ip, podIPs: [{ ip }] };
    expect((await server.patch(`${podsPath}/${name}/status`, { status })).status).toBe(200);
  };
  return { server, asked, addPod };
}

const refOf = (name: string, namespace = "default") => ({ kind: "Pod", name, namespace });

describe("a pod's server", () => {
  test.each([
    ["web", "http://10.64.1.5:8080/"],
    ["web:81", "http://10.64.1.5:81/"],
    ["https:web:8443", "https://10.64.1.5:8443/"],
    ["https:bare:", "https://10.64.1.6:443/"],
    ["bare", "http://10.64.1.6:80/"],
  ])("is found by the name %s", async (name, url) => {
    const { server, asked, addPod } = await startWithPods();
    await using _ = server;
    await addPod("web", "10.64.1.5", [{ containerPort: 8080 }, { containerPort: 9090 }]);
    await addPod("bare", "10.64.1.6");
    expect(await server.get(`${podsPath}/${name}/proxy/`)).toMatchObject({ status: 200, text: "hello" });
    expect(asked).toEqual([url]);
  });

  test.each([
    ["nope", 404, 'pods "nope" not found'],
    ["a:b:c:d", 400, 'invalid pod request "a:b:c:d"'],
    ["web:named", 503, "error trying to reach service: lookup tcp/named: unknown port"],
    ["pending", 400, "address not allowed"],
    ["done", 503, "error trying to reach service: pod done has ended (Succeeded)"],
  ])("named %s is refused", async (name, status, message) => {
    const { server, asked, addPod } = await startWithPods();
    await using _ = server;
    await addPod("web", "10.64.1.5", [{ containerPort: 8080, name: "named" }]);
    await addPod("done", "10.64.1.7");
    await server.patch(`${podsPath}/done/status`, { status: { phase: "Succeeded" } });
    await server.post(podsPath, aPod("pending"));
    const { status: code, json } = await server.get(`${podsPath}/${name}/proxy/`);
    expect([code, json.message]).toEqual([status, message]);
    expect(asked).toEqual([]);
  });
});

describe("a Service's server", () => {
  async function startWithService() {
    const started = await startWithPods();
    const { server, addPod } = started;
    await addPod("web-1", "10.64.1.5");
    await addPod("web-2", "10.64.2.5");
    const ports = [
      { name: "web", port: 80, targetPort: 8080 },
      { name: "tls", port: 443, targetPort: 8443 },
    ];
    expect((await server.post(services, { metadata: { name: "web" }, spec: { ports } })).status).toBe(201);
    const subsets = [
      {
        addresses: [
          { ip: "10.64.1.5", targetRef: refOf("web-1") },
          { ip: "10.64.2.5", targetRef: refOf("web-2") },
        ],
        ports: [
          { name: "web", port: 8080 },
          { name: "tls", port: 8443 },
        ],
      },
    ];
    expect((await server.post(endpoints, { metadata: { name: "web" }, subsets })).status).toBe(201);
    return started;
  }

  test("is any endpoint of the port, by its name or its number", async () => {
    const { server, asked } = await startWithService();
    await using _ = server;
    for (const name of ["web:web", "web:80", "http:web:80"]) {
      for (let i = 0; i < 10; i++) expect((await server.get(`${services}/${name}/proxy/x`)).status).toBe(200);
    }
    expect(new Set(asked)).toEqual(new Set(["http://10.64.1.5:8080/x", "http://10.64.2.5:8080/x"]));
    asked.length = 0;
    await server.get(`${services}/https:web:tls/proxy/x?a=b`);
    expect(asked[0]).toMatch(/^https:\/\/10\.64\.[12]\.5:8443\/x\?a=b$/);
  });

  test.each([
    ["nope", 404, 'services "nope" not found'],
    ["web:81", 503, 'no service port 81 found for service "web"'],
    ["web:other", 503, 'no endpoints available for service "web:other"'],
    ["web", 503, 'no endpoints available for service "web"'],
    ["bare:80", 503, 'no endpoints available for service "bare"'],
  ])("%s is refused", async (name, status, message) => {
    const { server, asked } = await startWithService();
    await using _ = server;
    await server.post(services, { metadata: { name: "bare" }, spec: { ports: [{ port: 80 }] } });
    const { status: code, json } = await server.get(`${services}/${name}/proxy/`);
    expect([code, json.message]).toEqual([status, message]);
    expect(asked).toEqual([]);
  });

  test.each([
    ["no pod", { ip: "10.64.0.1" }],
    ["a missing pod", { ip: "10.64.1.5", targetRef: refOf("gone") }],
    ["a pod that has another address", { ip: "10.64.0.1", targetRef: refOf("web-1") }],
    ["a pod of another namespace", { ip: "10.64.1.5", targetRef: refOf("web-1", "kube-system") }],
    ["something else", { ip: "10.64.1.5", targetRef: { ...refOf("web-1"), kind: "Node" } }],
  ])("is never an address of %s", async (_what, address) => {
    const { server, asked } = await startWithService();
    await using _ = server;
    const { json } = await server.get(`${endpoints}/web`);
    const subsets = [{ addresses: [address], ports: [{ name: "web", port: 8080 }] }];
    expect((await server.put(`${endpoints}/web`, { ...json, subsets })).status).toBe(200);
    expect((await server.get(`${services}/web:80/proxy/`)).status).toBe(503);
    expect(asked).toEqual([]);
  });
});

test.each([
  ["GET", "get"],
  ["HEAD", "get"],
  ["POST", "create"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
])("%s needs the permission to %s the subresource, with the name as in the path", async (method, verb) => {
  const { server, asked, addPod } = await startWithPods();
  await using _ = server;
  await addPod("web", "10.64.1.5");
  const user = { name: "jane", groups: [] };
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  const rules = [{ apiGroups: [""], resources: ["pods/proxy"], resourceNames: ["web:80"], verbs: [verb] }];
  await server.post(`${rbac}/roles`, { metadata: { name: "r" }, rules });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" };
  const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }];
  await server.post(`${rbac}/rolebindings`, { metadata: { name: "b" }, roleRef, subjects });
  expect((await server.call(method, `${podsPath}/web:80/proxy/`, { user })).status).toBe(200);
  expect((await server.call(method, `${podsPath}/web/proxy/`, { user })).status).toBe(403);
  const other = method === "GET" || method === "HEAD" ? "POST" : "GET";
  expect((await server.call(other, `${podsPath}/web:80/proxy/`, { user })).status).toBe(403);
  expect(asked).toEqual(["http://10.64.1.5:80/"]);
});

test("discovery lists the proxies by upstream's kinds and verbs", async () => {
  await using server = await TestServer.start();
  const { json } = await server.get("/api/v1");
  const listed = json.resources.filter(({ name }: { name: string }) => name.endsWith("/proxy"));
  const verbs = ["create", "delete", "get", "patch", "update"];
  expect(listed).toEqual([
    expect.objectContaining({ name: "nodes/proxy", kind: "NodeProxyOptions", namespaced: false, verbs }),
    expect.objectContaining({ name: "pods/proxy", kind: "PodProxyOptions", namespaced: true, verbs }),
    expect.objectContaining({ name: "services/proxy", kind: "ServiceProxyOptions", namespaced: true, verbs }),
  ]);
});

test("a webhook's Service without endpoints is named without its port, as upstream names it", async () => {
  await using server = await TestServer.start();
  await server.post(services, { metadata: { name: "hook" }, spec: { ports: [{ port: 443 }] } });
  const reader = { store: server.store, random: new SeededRandom(1) };
  expect(() => locateWebhook(reader, { namespace: "default", name: "hook", port: 443 })).toThrow(
    'no endpoints available for service "hook"',
  );
});
