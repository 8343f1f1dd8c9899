import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startWithCronTabs } from "../custom-resources/testing/cron-tabs.ts";
import type { KubeletDialer } from "../kubelet/kubelet-dialer.ts";
import { TestServer } from "../testing/test-server.ts";
import {
  apiService,
  apiServicesPath,
  availability,
  exposeExtension,
  flunders,
  resourceList,
  serviceName,
  startExtension,
} from "./testing/extension-server.ts";

describe("the groups of the server itself", () => {
  test("are registered with upstream's priorities, and available", async () => {
    await using server = await TestServer.start();
    const { json } = await server.get(`${apiServicesPath}/v1.apps`);
    expect(json).toMatchObject({
      metadata: { labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" } },
      spec: { group: "apps", version: "v1", groupPriorityMinimum: 17_800, versionPriority: 15 },
      status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] },
    });
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const table = await server.get(`${apiServicesPath}/v1.`, { headers: { accept } });
    expect(table.json.rows[0].cells.slice(0, 3)).toEqual(["v1.", "Local", "True"]);
    expect((await server.get(`${apiServicesPath}/v1.apiregistration.k8s.io`)).status).toBe(404);
  });

  test("follow the definitions of custom kinds", async () => {
    await using server = await startWithCronTabs();
    const path = `${apiServicesPath}/v1.stable.example.com`;
    await server.clock.settle();
    expect((await server.get(path)).json.spec).toMatchObject({ groupPriorityMinimum: 1000, versionPriority: 100 });
    await server.delete(path);
    await server.clock.settle();
    expect((await server.get(path)).status).toBe(200);
    await server.delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/crontabs.stable.example.com");
    await server.clock.settle();
    expect((await server.get(path)).status).toBe(404);
  });
});

test("the APIService of metrics is local again when that of an installation is deleted", async () => {
  // The group is served because kubelets can be reached.
  const kubeletDialer: KubeletDialer = {
    get: () => Promise.reject(new Error("no kubelet")),
    send: () => Promise.reject(new Error("no kubelet")),
    upgrade: () => Promise.reject(new Error("no kubelet")),
  };
  await using server = await TestServer.start({}, { kubeletDialer });
  const path = `${apiServicesPath}/v1beta1.metrics.k8s.io`;
  expect((await server.get(path)).json.spec.service).toBeUndefined();
  await server.patch(path, { spec: { service: { namespace: "kube-system", name: "metrics-server" } } });
  await server.clock.settle();
  expect((await server.get(path)).json.spec.service).toMatchObject({ name: "metrics-server" });
  await server.delete(path);
  await server.clock.settle();
  const { json } = await server.get(path);
  expect([json.spec.group, json.spec.service]).toEqual(["metrics.k8s.io", undefined]);
});

describe("an invalid APIService is rejected", () => {
  test.each<[string, object, string]>([
    ["under another name", { version: "v1" }, 'must be `spec.version+"."+spec.group`: "v1.wardle.example.com"'],
    ["of a priority that is too high", { groupPriorityMinimum: 20_001 }, "must be positive and less than 20000"],
    [
      "that is local and has authorities",
      { service: undefined, caBundle: "YQ==" },
      "local APIServices may not have a caBundle",
    ],
    [
      "that trusts every certificate and has authorities",
      { insecureSkipTLSVerify: true, caBundle: "YQ==" },
      "may not be true if caBundle is present",
    ],
    ["without the name of its Service", { service: { namespace: "a" } }, "spec.service.name: Required value"],
  ])("%s", async (_name, spec, message) => {
    await using server = await TestServer.start();
    const answer = await server.post(apiServicesPath, apiService(spec));
    expect([answer.status, answer.json.message]).toEqual([422, expect.stringContaining(message)]);
  });
});

describe("another server", () => {
  let at: Awaited<ReturnType<typeof startExtension>>;
  beforeAll(async () => {
    at = await startExtension();
  });
  afterAll(() => at[Symbol.asyncDispose]());

  test("is unavailable until its Service, its endpoints and its certificate are valid", async () => {
    const { server, caBundle } = at;
    await server.post(apiServicesPath, apiService());
    const shown = 'service/wardle in "default"';
    expect(await availability(server, "ServiceNotFound")).toEqual(["False", `${shown} is not present`]);
    const refused = await server.get(`${flunders}/namespaces/default/flunders`);
    expect([refused.status, refused.text]).toEqual([503, "service unavailable\n"]);
    await exposeExtension(server, at.port);
    const [, unverified] = await availability(server, "FailedDiscoveryCheck");
    expect(unverified).toMatch(/^failing or missing response from https:\/\/10\.0\.0\.9:\d+\/apis\/wardle/);
    await server.patch(`${apiServicesPath}/${serviceName}`, { spec: { service: { port: 444 } } });
    expect((await availability(server, "ServicePortError"))[1]).toBe(`${shown} is not listening on port 444`);
    await server.patch(`${apiServicesPath}/${serviceName}`, { spec: { caBundle, service: { port: 443 } } });
    expect(await availability(server, "Passed")).toEqual(["True", "all checks passed"]);
  });

  test("receives requests with the caller's identity and without the caller's own identity headers", async () => {
    const user = {
      name: "jane",
      uid: "7",
      groups: ["system:masters", "b"],
      extra: { "Example.com/Scope": ["x", "y"] },
    };
    const sent = { headers: { "x-remote-user": "admin", authorization: "Bearer secret" }, user };
    const { status, json } = await at.server.post(`${flunders}/namespaces/default/flunders?dryRun=All`, { a: 1 }, sent);
    expect([status, json.method, json.url, json.body]).toEqual([
      200,
      "POST",
      `${flunders}/namespaces/default/flunders?dryRun=All`,
      '{"a":1}',
    ]);
    expect(json.headers).toMatchObject({
      host: "wardle.default.svc",
      "x-remote-user": "jane",
      "x-remote-uid": "7",
      "x-remote-group": "system:masters, b, system:authenticated",
      "x-remote-extra-example.com%2fscope": "x, y",
    });
    expect(json.headers.authorization).toBeUndefined();
  });

  test("returns bytes that its headers describe to a client that accepts gzip", async () => {
    const headers = { "accept-encoding": "gzip" };
    const answer = await at.server.send("GET", `${flunders}/namespaces/default/flunders`, { headers });
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body as AsyncIterable<Uint8Array>) pieces.push(piece);
    const body = Buffer.concat(pieces);
    expect([answer.headers["content-encoding"], answer.headers["content-length"]]).toEqual([
      undefined,
      `${body.length}`,
    ]);
    expect(JSON.parse(body.toString())).toMatchObject({ method: "GET" });
  });

  test.each(["Jürgen", "Ã¼", "李"])("receives the name %s as UTF-8 bytes", async (name) => {
    const user = { name, groups: ["system:masters", name] };
    const { json } = await at.server.get(`${flunders}/namespaces/default/flunders`, { user });
    const read = (text: string) => Buffer.from(text, "latin1").toString("utf8");
    expect(read(json.headers["x-remote-user"])).toBe(name);
    expect(read(json.headers["x-remote-group"])).toBe(`system:masters, ${name}, system:authenticated`);
  });

  test("does not receive a request of a caller whose name would start another header", async () => {
    const before = at.state.seen.length;
    const user = { name: "jane\r\nx-remote-group: admins", groups: ["system:masters"] };
    const answer = await at.server.get(`${flunders}/namespaces/default/flunders`, { user });
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining("control characters")]);
    expect(at.state.seen.length).toBe(before);
  });

  test("does not receive a request of an unauthorized caller", async () => {
    const before = at.state.seen.length;
    const user = { name: "nobody", groups: [] };
    const answer = await at.server.get(`${flunders}/namespaces/default/flunders`, { user });
    expect(answer.json.message).toContain('User "nobody" cannot list resource "flunders" in API group "wardle');
    expect(at.state.seen.length).toBe(before);
  });

  test("returns its own discovery and is part of the cluster's discovery and OpenAPI", async () => {
    const { server } = at;
    expect((await server.get(flunders)).json).toEqual(resourceList);
    expect((await server.get("/apis/wardle.example.com")).json.preferredVersion.version).toBe("v1alpha1");
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const { json } = await server.get("/apis", { headers: { accept } });
    const group = json.items.find(
      ({ metadata }: { metadata: { name: string } }) => metadata.name === "wardle.example.com",
    );
    expect(group.versions).toEqual([
      {
        version: "v1alpha1",
        freshness: "Current",
        resources: [
          expect.objectContaining({
            resource: "flunders",
            scope: "Namespaced",
            shortNames: ["fl"],
            subresources: [expect.objectContaining({ subresource: "status", verbs: ["get"] })],
          }),
        ],
      },
    ]);
    const index = (await server.get("/openapi/v3")).json;
    const url = index.paths["apis/wardle.example.com/v1alpha1"].serverRelativeURL;
    expect((await server.get(url)).json.paths).toEqual({ [flunders]: {} });
    const { json: swagger } = await server.get("/openapi/v2");
    expect(swagger.paths[`${flunders}/flunders`].get.operationId).toBe("listFlunders");
    expect(Object.keys(swagger.definitions)).toContain("Flunder");
    expect(Object.keys(swagger.definitions)).not.toContain("Unused");
    const gnostic = { headers: { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" } };
    expect((await server.get("/openapi/v2", gnostic)).text).toContain("listFlunders");
  });

  test("streams watches and other protocols", async () => {
    const watch = await at.server.watch(`${flunders}/flunders?watch=true`);
    expect((await watch.next())?.object.kind).toBe("Flunder");
    watch.stop();
    const socket = new WebSocket(`${at.url.replace("https", "wss")}${flunders}/namespaces/default/flunders/a/talk`, {
      ...at.identity,
      agent: false,
    });
    const answer = await new Promise<string>((resolve, reject) => {
      socket.on("error", reject);
      socket.on("open", () => socket.send("hello"));
      socket.on("message", (data: Buffer) => resolve(data.toString()));
    });
    expect(answer).toBe("admin: hello");
    socket.close();
  });

  // packages/api/src/parsing/json-budget.test.ts limits the time that such an answer takes.
  test("that returns deeply nested brackets is unavailable until its next answer", async () => {
    const { server, state } = at;
    const half = 4 * 1024 * 1024 - 100;
    state.list = `{"resources":${"[".repeat(half)}${"]".repeat(half)}}`;
    await server.patch(`${apiServicesPath}/${serviceName}`, { metadata: { labels: { look: "deep" } } });
    const [, message] = await availability(server, "FailedDiscoveryCheck");
    expect(message).toContain("the answer nests deeper than 64 levels");
    state.list = undefined;
    await server.patch(`${apiServicesPath}/${serviceName}`, { metadata: { labels: { look: "shallow" } } });
    expect(await availability(server, "Passed")).toEqual(["True", "all checks passed"]);
  });

  test("that fails is stale in discovery, and is removed with its APIService", async () => {
    const { server, state } = at;
    state.isHealthy = false;
    await server.patch(`${apiServicesPath}/${serviceName}`, { metadata: { labels: { look: "again" } } });
    const [, message] = await availability(server, "FailedDiscoveryCheck");
    expect(message).toContain("bad status from https://10.0.0.9:");
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const { text } = await server.get("/apis", { headers: { accept } });
    expect(text).toContain('"freshness":"Stale","resources":[{"resource":"flunders"');
    await server.delete(`${apiServicesPath}/${serviceName}`);
    expect((await server.get("/apis")).text).not.toContain("wardle");
    expect((await server.get(`${flunders}/flunders`)).status).toBe(404);
  });
});
