import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { type Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ApiError, type Logger } from "@kintsugi/api";
import type { KubeletDialer } from "@kintsugi/api-server/factory";
import { type Fleet, HollowServer } from "@kintsugi/hollow/factory";
import { dialUpgrade } from "@kintsugi/streaming";

type Target = Parameters<KubeletDialer["get"]>[0];
type Asked = Parameters<KubeletDialer["send"]>[1];
type Answer = Awaited<ReturnType<KubeletDialer["get"]>>;

/** Time after which a kubelet of this process that has not begun to answer has a fault. */
const answerTimeoutMs = 30_000;

/** Connects the API server to the kubelets of its own process. */
export function fleetDialer({ fleet, log }: { fleet: () => Fleet; log: Logger }): KubeletDialer {
  const servers = new Map<string, HollowServer>();
  const connect = ({ nodeName }: Target): Duplex => {
    const node = fleet().find(nodeName);
    if (node === undefined || node.routes.length === 0)
      throw new ApiError("InternalError", `dial tcp: the kubelet of ${nodeName} is not running: connection refused`);
    const server = servers.get(nodeName) ?? new HollowServer({ log, routes: () => node.routes });
    servers.set(nodeName, server);
    return server.connect();
  };
  const open = (target: Target, { method, path, headers, body }: Asked, signal: AbortSignal) => {
    const connection = connect(target);
    return new Promise<Answer>((resolve, reject) => {
      const request = begin(connection, { method, path, headers, signal });
      request.once("response", (response) => resolve(answerOf(response)));
      request.once("error", reject);
      if (body === undefined || body instanceof Uint8Array) request.end(body);
      // A body that ends early ends the request, which reports the error.
      else pipeline(Readable.from(body, { objectMode: false }), request).catch(() => {});
    });
  };
  return {
    get: async (target, path, signal) => open(target, { method: "GET", path, headers: {}, body: undefined }, signal),
    send: async (target, asked, signal) => open(target, asked, signal),
    upgrade: async (target, { method, path, headers }, signal) => {
      const request = begin(connect(target), { method, path, headers });
      const answer = await dialUpgrade(request, { signal, timeoutMs: answerTimeoutMs });
      if (!answer.upgraded) return { upgraded: false, response: answerOf(answer.response) };
      const { socket, head } = answer;
      return {
        upgraded: true,
        headers: { connection: "Upgrade", ...textOf(answer.headers) },
        tunnel: { socket, head },
      };
    },
  };
}

function begin(
  connection: Duplex,
  options: { method: string; path: string; headers: Readonly<Record<string, string>>; signal?: AbortSignal },
): ClientRequest {
  return httpRequest({ ...options, host: "kubelet", createConnection: () => connection });
}

function answerOf(response: IncomingMessage): Answer {
  const contentType = response.headers["content-type"] ?? "text/plain";
  return { status: response.statusCode ?? 502, contentType, body: response };
}

function textOf(headers: IncomingMessage["headers"]): Record<string, string> {
  const entries = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(entries.filter(([name]) => name !== "connection"));
}
