import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { Agent, request as httpsRequest, type RequestOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { type ClusterAccess, expectedName } from "@kintsugi/client";
import type { ClusterWay } from "@kintsugi/explanation/commands";
import { headerLines } from "@kintsugi/streaming";
import type { Lab } from "./lab.ts";
import { BadLabAction, readLabAction } from "./lab-action.ts";
import { judgeBrowserRequest, judgeBrowserUpgrade } from "./judge-browser-request.ts";
import { createTerminalCarrier } from "./terminal-carrier.ts";

export interface LocalProxy extends AsyncDisposable {
  /** The address to open, with the token of this run. */
  readonly url: string;
}

/**
 * Limit on connections. A page has some ten requests open; more come from other programs or other
 * tabs.
 */
const connectionsMax = 128;
/**
 * Time after which a connection without a request is closed, because other users of the machine can
 * connect too, and have the same address as the browser.
 */
const headersTimeoutMs = 5_000;
/** Headers of a single connection, and the headers by which the browser authenticated here. */
const ownHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "cookie",
  "origin",
  "referer",
  "authorization",
]);

/**
 * Serves the API of a cluster on loopback, with the kubeconfig's credentials, to the browser that
 * has the token. @throws when the port is in use.
 */
export async function startLocalProxy(
  access: ClusterAccess,
  { port, token, lab, way }: { port: number; token: string; lab?: Lab | undefined; way: ClusterWay },
): Promise<LocalProxy> {
  const tls = {
    ...(access.ca === undefined ? {} : { ca: access.ca }),
    ...(access.cert === undefined ? {} : { cert: access.cert }),
    ...(access.key === undefined ? {} : { key: access.key }),
    ...expectedName(access.serverName),
  };
  const agent = new Agent({ keepAlive: true, ...tls });
  const terminals = createTerminalCarrier({
    // An upgraded connection belongs to one terminal.
    request: (target, headers) => requestOf(access, { ...tls, agent: false }, { method: "GET", target, headers }),
  });
  const limits = { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: 1_000 };
  const server = createServer(limits, (request, response) => {
    const { port: own } = server.address() as AddressInfo;
    const { method = "GET", url: target = "/", headers } = request;
    const judged = judgeBrowserRequest({ method, target, headers }, { port: own, token });
    switch (judged.is) {
      case "enter":
        response.writeHead(303, { location: "/dashboard/", "set-cookie": judged.cookie, "cache-control": "no-store" });
        return response.end();
      case "refuse":
        // The connection of a client that is not the page is closed.
        response.setHeader("connection", "close");
        return answer(response, judged.status, judged.because);
      case "lab status":
        return void answerFrom(response, async () => {
          const nodes = await lab?.status();
          if (nodes === undefined) return answer(response, 404, "there is no lab here");
          response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
          response.end(JSON.stringify({ nodes }));
        });
      case "lab action":
        return void answerFrom(response, async () => {
          if (lab === undefined) return answer(response, 404, "there is no lab here");
          answer(response, 200, await lab.act(readLabAction(await bodyOf(request))));
        });
      case "way":
        response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
        return response.end(JSON.stringify(way));
      case "terminal offer":
        return response.writeHead(204, { "cache-control": "no-store" }).end();
      case "forward":
        return void forward({ access, agent }, { request, response, target });
    }
  });
  server.on("upgrade", (request, socket, head) => {
    const { port: own } = server.address() as AddressInfo;
    const { method = "GET", url: target = "/", headers } = request;
    const judged = judgeBrowserUpgrade({ method, target, headers }, { port: own, token });
    if (judged.is === "terminal") return void terminals.carry({ request, socket, head });
    socket.on("error", () => {});
    const { status, because } = judged;
    const plainText = { "content-type": "text/plain; charset=utf-8", connection: "close" };
    socket.end(`${headerLines(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, plainText)}${because}\n`);
  });
  server.maxConnections = connectionsMax;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/?token=${token}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      terminals.close();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Limit on a body; an action is far smaller. */
const bodyBytesMax = 4 * 1024;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new BadLabAction(`the body has more than ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The lab rejects an action with a sentence for the page. */
async function answerFrom(response: ServerResponse, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (response.headersSent) response.destroy();
    else answer(response, error instanceof BadLabAction ? 400 : 409, (error as Error).message);
  }
}

function answer(response: ServerResponse, status: number, because: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
  response.end(`${because}\n`);
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: string;
}

async function forward(
  { access, agent }: { access: ClusterAccess; agent: Agent },
  { request, response, target }: Exchange,
): Promise<void> {
  const { method, headers } = request;
  const outgoing = requestOf(access, { agent }, { method, target, headers: passedOn(headers) });
  // A connection that breaks during an answer ends the answer, and must not end this process.
  outgoing.on("error", () => {});
  response.once("close", () => outgoing.destroy());
  outgoing.end();
  try {
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    response.writeHead(incoming.statusCode ?? 502, {
      ...passedOn(incoming.headers),
      "x-content-type-options": "nosniff",
    });
    // The headers are sent now, because a watch may begin without data.
    response.flushHeaders();
    await pipeline(incoming, response);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else answer(response, 502, `the API server cannot be reached: ${(error as Error).message}`);
  }
}

interface Outgoing {
  readonly method: string | undefined;
  readonly target: string;
  readonly headers: OutgoingHttpHeaders;
}

/** A request to the API server with the kubeconfig's credentials. */
function requestOf(access: ClusterAccess, connection: RequestOptions, { method, target, headers }: Outgoing) {
  const base = new URL(access.server);
  return httpsRequest({
    ...connection,
    host: base.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: base.port === "" ? 443 : Number(base.port),
    method,
    path: `${base.pathname.replace(/\/$/, "")}${target}`,
    headers: {
      ...headers,
      host: base.host,
      ...(access.token === undefined ? {} : { authorization: `Bearer ${access.token}` }),
    },
  });
}

function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name)));
}
