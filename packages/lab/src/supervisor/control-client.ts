import { request } from "node:http";
import { Refused } from "./control-server.ts";
import type { NodeAction } from "./node-actions.ts";
import type { SupervisorStatus } from "./status.ts";

/** Killing a node waits for its processes to be gone, which takes seconds on a busy host. */
const callTimeoutMs = 30_000;

/**
 * The other end of the control socket. Each call gives undefined when no supervisor listens there.
 */
export interface ControlClient {
  status(): Promise<SupervisorStatus | undefined>;
  /** @throws Refused with the supervisor's sentence. */
  act(node: string, action: NodeAction): Promise<SupervisorStatus | undefined>;
}

export function createControlClient(socket: string): ControlClient {
  return {
    status: () => call(socket, "GET", "/status"),
    act: (node, action) => call(socket, "POST", `/nodes/${encodeURIComponent(node)}/${action}`),
  };
}

function call(socketPath: string, method: string, path: string): Promise<SupervisorStatus | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path, timeout: callTimeoutMs }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => {
        const body = JSON.parse(text) as SupervisorStatus & { error?: string };
        if (response.statusCode === 200) resolve(body);
        else reject(response.statusCode === 400 ? new Refused(body.error) : new Error(body.error));
      });
      response.on("error", reject);
    });
    sent.on("timeout", () =>
      sent.destroy(new Error(`the supervisor did not answer ${method} ${path} within ${callTimeoutMs / 1000} s`)),
    );
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(undefined);
      else reject(error);
    });
    sent.end();
  });
}
