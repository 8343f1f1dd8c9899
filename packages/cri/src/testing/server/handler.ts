import type { handleUnaryCall, ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import { statusFromError } from "../../grpc/error.ts";

/** Answers one call of a client; `Request` is its decoded message. */
export function unary<Request>(
  answer: (request: Request, signal: AbortSignal) => Promise<object | void>,
): handleUnaryCall<Request, object> {
  return (call, callback) => {
    answer(call.request, cancellation(call)).then(
      (response) => callback(null, response ?? {}),
      (error: unknown) => callback(statusFromError(error)),
    );
  };
}

/** Aborts when the client cancels, or its time limit expires. */
export function cancellation(
  call: ServerUnaryCall<unknown, object> | ServerWritableStream<unknown, object>,
): AbortSignal {
  const controller = new AbortController();
  call.once("cancelled", () => controller.abort());
  return controller.signal;
}
