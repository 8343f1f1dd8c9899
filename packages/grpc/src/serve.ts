import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";

export interface SocketServer extends AsyncDisposable {
  /** "unix:///…". */
  readonly endpoint: string;
  /** Closes every connection and removes the socket. */
  close(): Promise<void>;
}

export interface ServedService {
  readonly definition: ServiceDefinition;
  readonly handlers: UntypedServiceImplementation;
}

/** Serves the services on a unix socket; a socket that a dead server left behind is replaced. */
export async function serveOnSocket(
  services: readonly ServedService[],
  { socketPath, messageBytesMax }: { socketPath: string; messageBytesMax: number },
): Promise<SocketServer> {
  const server = new Server({ "grpc.max_receive_message_length": messageBytesMax });
  for (const { definition, handlers } of services) server.addService(definition, handlers);
  const endpoint = `unix://${socketPath}`;
  mkdirSync(dirname(socketPath), { recursive: true, mode: 0o700 });
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

/** Returns the handler that answers one call; `statusOf` turns its errors into a status. */
export function unaryHandler(
  answer: (request: object, signal: AbortSignal) => Promise<object>,
  statusOf: (error: unknown) => { code: status; details: string },
): handleUnaryCall<object, object> {
  return (call, callback) => {
    const controller = new AbortController();
    call.once("cancelled", () => controller.abort());
    answer(call.request, controller.signal).then(
      (response) => callback(null, response),
      (error: unknown) => callback(statusOf(error)),
    );
  };
}
