import { callSocket } from "../transport/call-socket.ts";

/** One request to a container engine; resolves with the status and the text of its answer. */
export type EngineCall = (
  method: "GET" | "POST" | "DELETE",
  path: string,
  signal?: AbortSignal,
) => Promise<{ status: number; text: string }>;

/** A client of an engine's socket with Docker's API. @throws CloudError "Unavailable" */
export function engineOn(socketPath: string, callTimeoutMs: number): EngineCall {
  const engine = { socketPath, callTimeoutMs, name: "the container engine" };
  return (method, path, signal) => callSocket(engine, { method, path, signal });
}
