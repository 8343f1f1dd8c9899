import { request } from "node:http";
import { Refused } from "./control-server.ts";
import type { NewNode } from "../settings/nodes/new-nodes.ts";
import type { NodeAction } from "./node-actions.ts";
import type { ServerAction } from "./servers/server-actions.ts";
import type { SupervisorStatus } from "./status.ts";

/** Longest time until a new node's containerd has started and has its images on a busy host. */
const addTimeoutMs = 120_000;
/** Killing a node waits for the end of its processes, which takes seconds on a busy host. */
const callTimeoutMs = 30_000;

/**
 * The client of the control socket. Each call returns undefined if a supervisor does not listen on
 * the socket.
 */
export interface ControlClient {
  status(): Promise<SupervisorStatus | undefined>;
  /** @throws Refused with the supervisor's sentence. */
  act(node: string, action: NodeAction): Promise<SupervisorStatus | undefined>;
  /** @throws Refused with the supervisor's sentence. */
  actOnServer(server: string, action: ServerAction): Promise<SupervisorStatus | undefined>;
  /** Returns the new node's name. @throws Refused with the supervisor's sentence. */
  addNode(wanted: NewNode): Promise<string | undefined>;
  /** @throws Refused with the supervisor's sentence. */
  removeNode(node: string): Promise<SupervisorStatus | undefined>;
}

export function createControlClient(socket: string): ControlClient {
  return {
    status: () => call(socket, { method: "GET", path: "/status" }),
    act: (node, action) => call(socket, { method: "POST", path: `/nodes/${encodeURIComponent(node)}/${action}` }),
    actOnServer: (server, action) =>
      call(socket, { method: "POST", path: `/servers/${encodeURIComponent(server)}/${action}` }),
    async addNode(wanted) {
      const sent = { method: "POST", path: "/nodes", body: JSON.stringify(wanted), timeoutMs: addTimeoutMs };
      return (await call<{ added: string }>(socket, sent))?.added;
    },
    removeNode: (node) => call(socket, { method: "DELETE", path: `/nodes/${encodeURIComponent(node)}` }),
  };
}

interface ControlRequest {
  method: string;
  path: string;
  body?: string;
  /** Default 30 s. */
  timeoutMs?: number;
}

function call<Answer = SupervisorStatus>(
  socketPath: string,
  { method, path, body: content, timeoutMs = callTimeoutMs }: ControlRequest,
): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    // A connection that is kept alive may belong to a supervisor that has ended since.
    const sent = request({ socketPath, method, path, timeout: timeoutMs, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => {
        const body = JSON.parse(text) as Answer & { error?: string };
        if (response.statusCode === 200) resolve(body);
        else reject(response.statusCode === 400 ? new Refused(body.error) : new Error(body.error));
      });
      response.on("error", reject);
    });
    sent.on("timeout", () =>
      sent.destroy(new Error(`the supervisor did not answer ${method} ${path} within ${timeoutMs / 1000} s`)),
    );
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // A killed supervisor resets the connections with unanswered requests.
      const hasEnded = method === "GET" && error.code === "ECONNRESET";
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED" || hasEnded) resolve(undefined);
      else reject(error);
    });
    sent.end(content);
  });
}
