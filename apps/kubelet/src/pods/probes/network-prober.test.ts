import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo, Server as NetServer } from "node:net";
import { Server, ServerCredentials, type ServiceDefinition, status } from "@grpc/grpc-js";
import { afterEach, expect, test } from "vitest";
import { createProber } from "./network-prober.ts";
import type { Handler } from "./prober.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** An attempt that should not reach its limit gets more time than a busy machine takes. */
const plentyMs = 20_000;

function attempt(handler: Handler, timeoutMs = plentyMs, podIp = "127.0.0.1", purpose?: "lifecycle") {
  const target = { containerId: "c", container: { name: "c" }, podIp, namespace: "default", podName: "p" };
  // No test here runs a command inside a container.
  const prober = createProber(undefined as never);
  return prober.attempt(handler, target, {
    timeoutMs,
    signal: new AbortController().signal,
    ...(purpose === undefined ? {} : { purpose }),
  });
}

/**
 * A health service that answers each service's name with a number of ServingStatus. It never
 * answers "slow", and answers "broken" with an error.
 */
async function serveHealth(path = "/grpc.health.v1.Health/Check"): Promise<number> {
  const asItIs = (value: Buffer) => value;
  const definition = {
    Check: {
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: asItIs,
      requestDeserialize: asItIs,
      responseSerialize: asItIs,
      responseDeserialize: asItIs,
    },
  };
  const server = new Server();
  server.addService(definition satisfies ServiceDefinition, {
    Check(call: { request: Buffer }, answer: (error: object | null, value?: Buffer) => void) {
      const service = call.request.subarray(2).toString("utf8");
      if (service === "slow") return;
      if (service === "broken") return answer({ code: status.INTERNAL, details: "out of luck" });
      answer(null, Buffer.from([0x08, service === "ill" ? 2 : 1]));
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  closing.push(() => server.forceShutdown());
  return port;
}

test.each([
  ["", { kind: "success" }],
  ["web", { kind: "success" }],
  ["ill", { kind: "failure", output: 'service unhealthy (responded with "NOT_SERVING")' }],
  ["slow", { kind: "failure", output: "timeout: health rpc did not complete within 300ms" }],
  ["broken", { kind: "failure", output: "error: health rpc probe failed: 13 INTERNAL: out of luck" }],
])("a grpc probe of service '%s' returns %o", async (service, outcome) => {
  const port = await serveHealth();
  expect(await attempt({ grpc: { port, service } }, service === "slow" ? 300 : plentyMs)).toEqual(outcome);
});

test("a grpc probe reports a server that does not implement the health service", async () => {
  const outcome = await attempt({ grpc: { port: await serveHealth("/other.Service/Check") } });
  expect(outcome).toMatchObject({
    kind: "failure",
    output: expect.stringMatching(
      /^error: this server does not implement the grpc health protocol \(grpc.health.v1.Health\): /,
    ),
  });
});

test("a grpc probe of a closed port fails at its timeout", async () => {
  const outcome = await attempt({ grpc: { port: 1 } }, 200);
  const output = 'timeout: failed to connect service "127.0.0.1:1" within 200ms: context deadline exceeded';
  expect(outcome).toEqual({ kind: "failure", output });
});

async function listen(server: HttpServer | NetServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Answers by path: `/<status>` with that status, `/to/<where>` with a redirect. */
function serveHttp(): Promise<number> {
  return listen(
    createServer(({ url = "", headers }, response) => {
      const [, first = "", second = ""] = /^\/([^/]+)\/?(.*)$/.exec(url) ?? [];
      if (first === "to") return response.writeHead(302, { location: second }).end("moved");
      if (first === "loop") return response.writeHead(302, { location: "/loop" }).end();
      if (first === "hang") return;
      if (first === "header") return response.writeHead(headers["x-probe"] === "yes" ? 200 : 400).end();
      response.writeHead(Number(first)).end("x".repeat(50_000));
    }),
  );
}

test.each([
  ["/200", { kind: "success" }],
  ["/399", { kind: "warning", output: expect.stringMatching(/^Probe terminated redirects, Response body: x{10240}$/) }],
  ["/404", { kind: "failure", output: "HTTP probe failed with statuscode: 404", answered: true }],
  ["/to//503", { kind: "failure", output: "HTTP probe failed with statuscode: 503", answered: true }],
  ["/to/http://elsewhere.example/", { kind: "warning", output: "Probe terminated redirects, Response body: moved" }],
  ["/loop", { kind: "failure", output: expect.stringMatching(/^Get "[^"]+": stopped after 10 redirects$/) }],
  ["/header", { kind: "success" }],
  [
    "/hang",
    {
      kind: "failure",
      output: expect.stringContaining(
        '/hang": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
      ),
    },
  ],
])("an http probe of %s returns %o", async (path, outcome) => {
  const port = await serveHttp();
  const httpHeaders = [{ name: "X-Probe", value: "yes" }];
  expect(await attempt({ httpGet: { port, path, httpHeaders } }, path === "/hang" ? 300 : plentyMs)).toEqual(outcome);
});

test("requests of probes and hooks identify themselves to the container", async () => {
  const heard: unknown[] = [];
  const port = await listen(
    createServer(({ headers }, response) => {
      heard.push(headers["user-agent"]);
      response.end();
    }),
  );
  await attempt({ httpGet: { port } });
  await attempt({ httpGet: { port } }, plentyMs, "127.0.0.1", "lifecycle");
  expect(heard).toEqual(["kube-probe/1.36", "kube-lifecycle/1.36"]);
});

test("a refused connection is reported in upstream's words", async () => {
  const refused = "dial tcp 127.0.0.1:1: connect: connection refused";
  expect(await attempt({ httpGet: { port: 1, path: "/x" } })).toEqual({
    kind: "failure",
    output: `Get "http://127.0.0.1:1/x": ${refused}`,
  });
  expect(await attempt({ tcpSocket: { port: 1 } })).toEqual({ kind: "failure", output: refused });
});
