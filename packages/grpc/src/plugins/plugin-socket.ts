import type { handleUnaryCall } from "@grpc/grpc-js";
import type { Clock } from "@kintsugi/clock";
import { Connection } from "../connection.ts";
import { rpcErrorOf, statusOfError } from "../rpc-status.ts";
import { type ServedService, serveOnSocket, type SocketServer, unaryHandler } from "../serve.ts";

/**
 * Message size limit. Drivers answer with pages of volumes; gRPC's own default is enough for the
 * largest pages.
 */
const messageBytesMax = 4 * 1024 * 1024;

/** Returns a connection to a plugin's unix socket, whose calls fail with an RpcError. */
export function connectToPlugin(clock: Clock, endpoint: string): Connection {
  return new Connection(clock, { endpoint, messageBytesMax, errorOf: rpcErrorOf });
}

/** Serves a plugin's services on its unix socket. */
export function servePlugin(services: readonly ServedService[], socketPath: string): Promise<SocketServer> {
  return serveOnSocket(services, { socketPath, messageBytesMax });
}

/** Returns the handler that answers one call of a client; an RpcError keeps its code. */
export function answerCall(
  answer: (request: object, signal: AbortSignal) => Promise<object>,
): handleUnaryCall<object, object> {
  return unaryHandler(answer, statusOfError);
}
