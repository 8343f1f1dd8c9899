import { writeFileSync } from "node:fs";
import { connect as connectHttp2, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import { request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";
import { silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import type { ApiServerDeps } from "../factory.ts";
import { listenTls } from "../transport/tls-server.ts";
import { answerWorker } from "../transport/workers/answer-worker.ts";
import { askOwner } from "../transport/workers/ask-owner.ts";
import { linkPair } from "./link-pair.ts";
import { TestCertificates } from "./test-certificates.ts";
import { testGuard } from "./test-guard.ts";
import { TestServer } from "./test-server.ts";

export interface SentOverTls {
  method?: string;
  headers?: OutgoingHttpHeaders;
  /** A string is sent as a whole; a stream is sent as it arrives. */
  body?: string | Buffer | Readable | undefined;
}

export interface OverTlsAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** The receiver of requests: the server, or a worker that passes requests to the server. */
export const receivers = ["the server", "an HTTP worker"] as const;

/** An API server that is called over TLS, by HTTP/1.1 and HTTP/2, as an administrator. */
export async function serveOverTls(
  deps: Partial<ApiServerDeps> = {},
  receiver: (typeof receivers)[number] = "the server",
) {
  const certificates = new TestCertificates().authority();
  certificates.issue("server", "/CN=api-server", { usage: "serverAuth", altNames: "IP:127.0.0.1" });
  certificates.issue("admin", "/O=system:masters/CN=admin");
  const server = await TestServer.start({}, deps);
  const [key, cert, ca] = ["server.key", "server.crt", "ca.crt"].map((file) => certificates.read(file)) as [
    string,
    string,
    string,
  ];
  const links = receiver === "an HTTP worker" ? await linkPair() : undefined;
  if (links !== undefined)
    answerWorker({ handle: server.server.handle, clock: systemClock, log: silentLogger }, links.owner);
  const handle = links === undefined ? server.server.handle : askOwner({ link: links.worker, clock: systemClock });
  const listener = await listenTls(
    { handle, clock: systemClock, log: silentLogger, guard: testGuard() },
    { bindAddress: "127.0.0.1", port: 0, tls: { key, cert, ca } },
  );
  const identity = { ca, key: certificates.read("admin.key"), cert: certificates.read("admin.crt") };
  const url = `https://127.0.0.1:${listener.port}`;
  const kubeconfig = certificates.path("kubeconfig");
  writeFileSync(kubeconfig, kubeconfigOf(url, identity));
  return {
    server,
    url,
    identity,
    kubeconfig,
    http1: (path: string, sent: SentOverTls = {}) => sendByHttp1(`${url}${path}`, identity, sent),
    http2: (path: string, sent: SentOverTls = {}) => sendByHttp2(url, path, { identity, sent }),
    [Symbol.asyncDispose]: async () => {
      await listener[Symbol.asyncDispose]();
      links?.worker.close();
      await server[Symbol.asyncDispose]();
      certificates[Symbol.dispose]();
    },
  };
}

type Identity = Record<"ca" | "key" | "cert", string>;

function kubeconfigOf(server: string, { ca, cert, key }: Identity): string {
  const base64 = (pem: string) => Buffer.from(pem).toString("base64");
  const name = "test";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [{ name, user: { "client-certificate-data": base64(cert), "client-key-data": base64(key) } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}

function sendByHttp1(url: string, identity: Identity, { method, headers, body }: SentOverTls): Promise<OverTlsAnswer> {
  // Node does not write a content length by itself for methods that seldom have a body.
  const length = body === undefined || isStream(body) ? {} : { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const options = { ...identity, method: method ?? "GET", headers: { ...length, ...headers }, agent: false };
    const request = httpsRequest(url, options);
    request.on("error", reject);
    request.on("response", (response) => {
      collect(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        reject,
      );
    });
    if (isStream(body)) body.pipe(request);
    else request.end(body);
  });
}

function sendByHttp2(
  url: string,
  path: string,
  { identity, sent }: { identity: Identity; sent: SentOverTls },
): Promise<OverTlsAnswer> {
  const { method = "GET", headers, body } = sent;
  const session = connectHttp2(url, identity);
  return new Promise<OverTlsAnswer>((resolve, reject) => {
    session.on("error", reject);
    const stream = session.request({ ":method": method, ":path": path, ...headers }, { endStream: body === undefined });
    stream.on("error", reject);
    stream.on("response", (answered) => {
      collect(stream).then((text) => resolve({ status: Number(answered[":status"]), headers: answered, text }), reject);
    });
    if (isStream(body)) body.pipe(stream);
    else if (body !== undefined) stream.end(body);
  }).finally(() => session.destroy());
}

function isStream(body: SentOverTls["body"]): body is Readable {
  return typeof body === "object" && !Buffer.isBuffer(body);
}

async function collect(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
