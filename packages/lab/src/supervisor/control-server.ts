import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Logger } from "@kintsugi/api";
import { untilAborted } from "@kintsugi/clock";
import { NewNode } from "../settings/nodes/new-nodes.ts";
import { type NodeAction, nodeActions } from "./node-actions.ts";
import { type ServerAction, serverActions } from "./servers/server-actions.ts";
import type { SupervisorStatus } from "./status.ts";

/** The part of the supervisor behind the control socket. */
export interface ControlTarget {
  status(): SupervisorStatus;
  /** @throws Refused with a sentence for the user. */
  act(node: string, action: NodeAction): Promise<void>;
  /** @throws Refused with a sentence for the user. */
  actOnServer(server: string, action: ServerAction): Promise<void>;
  /** Returns the new node's name. @throws Refused with a sentence for the user. */
  addNode(wanted: NewNode): Promise<string>;
  /** @throws Refused with a sentence for the user. */
  removeNode(node: string): Promise<void>;
}

/** The request is invalid in the present state. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/**
 * Serves the supervisor's control socket until the signal aborts: `GET /status`, `POST
 * /nodes/<name>/<action>`, `POST /servers/<name>/<action>`. The socket is in a directory that only
 * root can enter.
 */
export async function serveControl(
  deps: { target: ControlTarget; log: Logger },
  options: { socket: string },
  signal: AbortSignal,
): Promise<void> {
  const server = createServer((request, response) => {
    answer(deps.target, request).then(
      (body) => send(response, 200, body),
      (error: unknown) => {
        if (!(error instanceof Refused)) deps.log.error("control request failed", { error });
        send(response, error instanceof Refused ? 400 : 500, { error: (error as Error).message });
      },
    );
  });
  await rm(options.socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.socket, resolve);
  });
  // A process with access to the socket may do anything to the cluster's nodes.
  await chmod(options.socket, 0o600);
  await untilAborted(signal);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Maximum size of a request, far above a node's labels and flags. */
const bodyBytesMax = 64 * 1024;

async function answer(target: ControlTarget, request: IncomingMessage): Promise<unknown> {
  const [, first, node, action] = (request.url ?? "").split("/");
  if (request.method === "GET" && first === "status") return target.status();
  if (request.method === "POST" && first === "nodes" && node === undefined)
    return { added: await target.addNode(await newNodeIn(request)) };
  if (request.method === "DELETE" && first === "nodes" && node !== undefined && action === undefined) {
    await target.removeNode(decodeURIComponent(node));
    return target.status();
  }
  if (request.method === "POST" && first === "nodes" && node !== undefined && isNodeAction(action)) {
    await target.act(decodeURIComponent(node), action);
    return target.status();
  }
  if (request.method === "POST" && first === "servers" && node !== undefined && isServerAction(action)) {
    await target.actOnServer(decodeURIComponent(node), action);
    return target.status();
  }
  throw new Refused(`there is no ${request.method} ${request.url}`);
}

async function newNodeIn(request: IncomingMessage): Promise<NewNode> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Refused(`the body has more than ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  try {
    return NewNode.parse(JSON.parse(Buffer.concat(chunks).toString()));
  } catch (error) {
    throw new Refused(`the body does not describe a node: ${(error as Error).message}`, { cause: error });
  }
}

function isNodeAction(text: string | undefined): text is NodeAction {
  return nodeActions.some((action) => action === text);
}

function isServerAction(text: string | undefined): text is ServerAction {
  return serverActions.some((action) => action === text);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
