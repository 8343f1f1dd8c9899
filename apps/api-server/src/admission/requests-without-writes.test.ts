import { generateKeyPairSync } from "node:crypto";
import { PassThrough } from "node:stream";
import { forbidden } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { anAsyncStep } from "../testing/async-steps.ts";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import type { AdmissionRequest, AnyAdmissionStep } from "./admission.ts";

const web = `${podsPath}/web`;
const tokenPath = "/api/v1/namespaces/default/serviceaccounts/default/token";
const webSocket = { upgrade: "websocket", headers: { upgrade: "websocket" } };

/** Starts a server with a pod on a node, and records the requests to its kubelet. */
async function start(...admissionSteps: AnyAdmissionStep[]) {
  const asked: string[] = [];
  const { privateKey: signingKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const server = await TestServer.start(
    {},
    {
      admissionSteps,
      serviceAccountTokens: { signingKey, issuer: "https://here", audiences: ["https://here"] },
      kubeletDialer: {
        get: async (_, path) => {
          asked.push(path);
          return { status: 200, contentType: "text/plain", body: [] as unknown as AsyncIterable<Uint8Array> };
        },
        send: async (_, { path }) => {
          asked.push(path);
          return { status: 200, contentType: "text/plain", body: [] as unknown as AsyncIterable<Uint8Array> };
        },
        upgrade: async (_, { path }) => {
          asked.push(path);
          return { upgraded: true, headers: {}, tunnel: { socket: new PassThrough(), head: new Uint8Array() } };
        },
      },
    },
  );
  await server.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  await server.post(podsPath, aPod("web"));
  const addresses = [{ type: "InternalIP", address: "10.1.0.2" }];
  await server.post("/api/v1/nodes", { metadata: { name: "n1" }, status: { addresses } });
  await server.post(`${web}/binding`, { metadata: { name: "web" }, target: { kind: "Node", name: "n1" } });
  return { server, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const connections = [
  [`${web}/exec?command=id&stdin=true`, "PodExecOptions", { command: ["id"], stdin: true }],
  [`${web}/attach?stdout=true`, "PodAttachOptions", { stdout: true }],
  [`${web}/portforward?ports=80`, "PodPortForwardOptions", { ports: ["80"] }],
  [`/api/v1/nodes/n1/proxy/pods`, "NodeProxyOptions", { path: "/pods" }],
  [`${web}/proxy/index.html`, "PodProxyOptions", { path: "/index.html" }],
] as const;

describe("a connection", () => {
  test.each(connections)("%s is admitted with its options by steps of both kinds", async (path, kind, options) => {
    for (const isAsync of [true, false]) {
      const seen: AdmissionRequest[] = [];
      const handles = { operations: ["connect"] } as const;
      const judge = (request: AdmissionRequest) => {
        seen.push(request);
        return forbidden(request.resource.type, request.name, "no way in");
      };
      const step = isAsync
        ? anAsyncStep({ handles, validateAsync: async (request) => judge(request) })
        : { name: "Judge", handles, validate: judge };
      await using cluster = await start(step);
      const upgrade = path.includes("proxy") ? {} : webSocket;
      const { status, json } = await cluster.server.get(path, upgrade);
      expect([status, json.message]).toEqual([403, expect.stringContaining("no way in")]);
      expect(seen).toHaveLength(1);
      expect(seen[0]?.object).toMatchObject({ apiVersion: "v1", kind, ...options });
      expect(cluster.asked).toEqual([]);
    }
  });

  test("uses the options that the steps returned", async () => {
    const step = anAsyncStep({
      handles: { operations: ["connect"], subresources: ["exec", "proxy"] },
      mutateAsync: async ({ object }) => {
        Object.assign(object ?? {}, { command: ["true"], tty: true, path: "/elsewhere" });
        return undefined;
      },
    });
    await using cluster = await start(step);
    expect((await cluster.server.send("GET", `${web}/exec?command=id`, webSocket)).status).toBe(101);
    expect(cluster.asked).toEqual(["/exec/default/web/main?tty=1&command=true"]);
    // A change that the request cannot carry is rejected, not ignored.
    expect((await cluster.server.get("/api/v1/nodes/n1/proxy/pods")).status).toBe(500);
    expect(cluster.asked).toHaveLength(1);
  });
});

test("a token is issued for the request that the steps returned, and is not issued after a refusal", async () => {
  let isRefused = false;
  const step = anAsyncStep({
    handles: { operations: ["create"], subresources: ["token"] },
    mutateAsync: async ({ object }) => {
      Object.assign(object?.spec ?? {}, { audiences: ["vault"] });
      return undefined;
    },
    validateAsync: async ({ resource, name }) => (isRefused ? forbidden(resource.type, name, "no token") : undefined),
  });
  await using cluster = await start(step);
  const issued = await cluster.server.post(tokenPath, { spec: { audiences: ["web"] } });
  expect([issued.status, issued.json.spec.audiences]).toEqual([201, ["vault"]]);
  isRefused = true;
  const refused = await cluster.server.post(tokenPath, { spec: {} });
  expect([refused.status, refused.json.status]).toEqual([403, "Failure"]);
});

test("a node may evict its own pods and no other pods", async () => {
  await using cluster = await start();
  await cluster.server.post("/api/v1/nodes", { metadata: { name: "n2" } });
  const evict = (node: string) => {
    const user = { name: `system:node:${node}`, groups: ["system:nodes", "system:authenticated"] };
    return cluster.server.post(`${web}/eviction`, { metadata: { name: "web" } }, { user });
  };
  const refused = await evict("n2");
  expect([refused.status, refused.json.message]).toEqual([
    403,
    expect.stringContaining("node n2 can only evict pods with spec.nodeName set to itself"),
  ]);
  expect((await evict("n1")).status).toBe(201);
});
