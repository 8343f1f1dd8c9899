import { rmSync } from "node:fs";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { ContainerRuntime } from "../../container-runtime.ts";
import { eventService, imageService, runtimeService } from "../../proto/definitions.ts";
import { criEventHandlers, containerdEventHandlers } from "./event-handlers.ts";
import { imageHandlers } from "./image-handlers.ts";
import { containerHandlers, nodeHandlers, sandboxHandlers } from "./runtime-handlers.ts";

export interface ServeCriOptions {
  /** A unix socket is created here; a socket left by a crashed server is replaced. */
  socketPath: string;
  /**
   * The served event streams: containerd's and CRI's (as in containerd 1.7), or only CRI's (as in
   * CRI-O). Default: both streams.
   */
  events?: "both" | "cri";
}

export interface CriServer extends AsyncDisposable {
  /** "unix:///…". */
  readonly endpoint: string;
  /** Closes every connection. */
  close(): Promise<void>;
}

/**
 * Serves a runtime of this process as CRI v1 over gRPC on a unix socket, so that a kubelet cannot
 * distinguish it from containerd.
 */
export async function serveCri(runtime: ContainerRuntime, options: ServeCriOptions): Promise<CriServer> {
  const { socketPath, events = "both" } = options;
  const server = new Server({ "grpc.max_receive_message_length": 16 * 1024 * 1024 });
  server.addService(runtimeService, {
    ...nodeHandlers(runtime),
    ...sandboxHandlers(runtime),
    ...containerHandlers(runtime),
    ...criEventHandlers(runtime),
  });
  server.addService(imageService, imageHandlers(runtime));
  if (events === "both") server.addService(eventService, containerdEventHandlers(runtime));
  const endpoint = `unix://${socketPath}`;
  rmSync(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(endpoint, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
  });
  const close = async () => {
    server.forceShutdown();
    rmSync(socketPath, { force: true });
  };
  return { endpoint, close, [Symbol.asyncDispose]: close };
}
