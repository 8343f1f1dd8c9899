import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, BlockList } from "node:net";
import type { TLSSocket } from "node:tls";
import { type WebSocket, WebSocketServer } from "ws";
import type { BackendDialer, BackendTarget } from "../../proxy/backend-dialer.ts";
import { createBackendHttpDialer } from "../../proxy/backend-http-dialer.ts";
import { serveOverTls } from "../../testing/served-over-tls.ts";
import { TestCertificates } from "../../testing/test-certificates.ts";
import { aPod, podsPath, type TestServer } from "../../testing/test-server.ts";

export const flunders = "/apis/wardle.example.com/v1alpha1";
export const apiServicesPath = "/apis/apiregistration.k8s.io/v1/apiservices";
export const serviceName = "v1alpha1.wardle.example.com";

const verbs = ["create", "get", "list", "watch"];

/** The extension server's list of its resources. */
export const resourceList = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: "wardle.example.com/v1alpha1",
  resources: [
    { name: "flunders", singularName: "flunder", namespaced: true, kind: "Flunder", verbs, shortNames: ["fl"] },
    { name: "flunders/status", singularName: "", namespaced: true, kind: "Flunder", verbs: ["get"] },
  ],
};

/**
 * An API server of another group on this machine, behind the Service `wardle` of a server under
 * test. It trusts the headers of a caller that has the front proxy's certificate, and echoes these
 * headers.
 */
export async function startExtension() {
  const certificates = new TestCertificates().authority().authority("front-proxy-ca");
  certificates.issue("wardle", "/CN=wardle", { usage: "serverAuth", altNames: "DNS:wardle.default.svc" });
  certificates.issue("front-proxy-client", "/CN=front-proxy-client", { ca: "front-proxy-ca" });
  const state: State = { isHealthy: true, seen: [], list: undefined };
  const extension = createServer(
    {
      key: certificates.read("wardle.key"),
      cert: certificates.read("wardle.crt"),
      ca: certificates.read("front-proxy-ca.crt"),
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => answer(state, request, response),
  );
  const webSockets = new WebSocketServer({ noServer: true });
  extension.on("upgrade", (request: IncomingMessage, socket, head) => {
    webSockets.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
      webSocket.on("message", (data: Buffer) =>
        webSocket.send(`${request.headers["x-remote-user"]?.toString() ?? ""}: ${data.toString()}`),
      );
    });
  });
  extension.listen(0, "127.0.0.1");
  await once(extension, "listening");
  const identity = {
    cert: certificates.read("front-proxy-client.crt"),
    key: certificates.read("front-proxy-client.key"),
  };
  const served = await serveOverTls({
    backendDialer: dialerToThisMachine(),
    frontProxy: () => identity,
  });
  const { port } = extension.address() as AddressInfo;
  return {
    ...served,
    state,
    port,
    caBundle: Buffer.from(certificates.read("ca.crt")).toString("base64"),
    [Symbol.asyncDispose]: async () => {
      await served[Symbol.asyncDispose]();
      extension.closeAllConnections();
      extension.close();
      certificates[Symbol.dispose]();
    },
  };
}

/**
 * The address of the pod. The server listens on loopback, but an endpoint may not have a loopback
 * address.
 */
const podAddress = "10.0.0.9";

function dialerToThisMachine(): BackendDialer {
  const real = createBackendHttpDialer({ ownAddresses: [], refused: new BlockList() });
  const here = (target: BackendTarget) => {
    if (target.address !== podAddress) throw new Error(`dialled ${target.address}`);
    return { ...target, address: "127.0.0.1" };
  };
  return {
    send: (target, request, signal) => real.send(here(target), request, signal),
    upgrade: (target, request, signal) => real.upgrade(here(target), request, signal),
  };
}

/** `list` is the text of the resource list; absent for the usual list. */
type State = { isHealthy: boolean; seen: IncomingMessage[]; list: string | undefined };

function answer(state: State, request: IncomingMessage, response: ServerResponse): void {
  state.seen.push(request);
  const json = (status: number, value: unknown) => {
    const body = Buffer.from(JSON.stringify(value));
    response.writeHead(status, { "content-type": "application/json", "content-length": body.length }).end(body);
  };
  if (!(request.socket as TLSSocket).authorized) return json(401, { kind: "Status", code: 401 });
  const { pathname, searchParams } = new URL(request.url ?? "/", "https://wardle");
  if (pathname === flunders && state.list !== undefined) {
    response.writeHead(200, { "content-type": "application/json" }).end(state.list);
    return;
  }
  if (pathname === flunders) return state.isHealthy ? json(200, resourceList) : json(500, {});
  if (pathname === `/openapi/v3${flunders}`) return json(200, { openapi: "3.0.0", paths: { [flunders]: {} } });
  if (pathname === "/openapi/v2") {
    const schema = { $ref: "#/definitions/Flunder" };
    const get = { operationId: "listFlunders", responses: { "200": { description: "OK", schema } } };
    const paths = { [`${flunders}/flunders`]: { get }, "/version/": { get } };
    return json(200, { swagger: "2.0", paths, definitions: { Flunder: { type: "object" }, Unused: {} } });
  }
  if (searchParams.get("watch") === "true") {
    response.writeHead(200, { "content-type": "application/json" });
    return void response.write(`${JSON.stringify({ type: "ADDED", object: { kind: "Flunder" } })}\n`);
  }
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => json(200, { method: request.method, url: request.url, headers: request.headers, body }));
}

/** Makes the Service and its endpoint, which is a pod. */
export async function exposeExtension(server: TestServer, port: number): Promise<void> {
  await server.post(podsPath, aPod("wardle"));
  const status = { phase: "Running", podIP: podAddress, podIPs: [{ ip: podAddress }] };
  await server.patch(`${podsPath}/wardle/status`, { status });
  await server.post("/api/v1/namespaces/default/services", {
    metadata: { name: "wardle" },
    spec: { ports: [{ port: 443, targetPort: port }] },
  });
  const targetRef = { kind: "Pod", name: "wardle", namespace: "default" };
  await server.post("/api/v1/namespaces/default/endpoints", {
    metadata: { name: "wardle" },
    subsets: [{ addresses: [{ ip: podAddress, targetRef }], ports: [{ port }] }],
  });
}

export function apiService(spec: object = {}) {
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: serviceName },
    spec: {
      group: "wardle.example.com",
      version: "v1alpha1",
      groupPriorityMinimum: 2000,
      versionPriority: 200,
      service: { namespace: "default", name: "wardle" },
      ...spec,
    },
  };
}

/** Waits until the condition Available has this reason, and returns its status and message. */
export async function availability(server: TestServer, reason: string): Promise<[string, string]> {
  const watch = await server.watch(`${apiServicesPath}?watch=true&fieldSelector=metadata.name=${serviceName}`);
  try {
    for (;;) {
      const event = await watch.next();
      if (event === undefined) throw new Error(`the watch ended before the reason ${reason}`);
      const condition = event.object.status?.conditions?.[0];
      if (condition?.reason === reason) return [condition.status, condition.message];
    }
  } finally {
    watch.stop();
  }
}
