import { strict as assert } from "node:assert";
import {
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import { type Clock, onAbort } from "@kintsugi/clock";
import { RuntimeError } from "../container-runtime.ts";
import { runtimeErrorFromStatus } from "./error.ts";

/**
 * Upstream's limit for one CRI message (kubelet cri/remote maxMsgSize); a list of some 20,000
 * containers fits.
 */
const messageBytesMax = 16 * 1024 * 1024;

export interface CallOptions {
  /** The time that the answer may take; undefined for no limit. */
  timeoutMs: number | undefined;
  signal?: AbortSignal | undefined;
  metadata?: Readonly<Record<string, string>>;
}

export interface Method {
  service: ServiceDefinition;
  name: string;
}

/**
 * One connection to a runtime's socket; it connects at the first call, and again by itself whenever
 * the runtime comes back.
 */
export class Connection {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor(clock: Clock, endpoint: string) {
    this.#clock = clock;
    this.#client = new Client(endpoint, credentials.createInsecure(), {
      "grpc.max_receive_message_length": messageBytesMax,
      "grpc.max_send_message_length": messageBytesMax,
      // Upstream's kubelet waits 100 ms to 3 s between dials: a restarted runtime is found again
      // within seconds.
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 3000,
      // A proxy from the environment must never stand between a node and its own runtime.
      "grpc.enable_http_proxy": 0,
      "grpc.use_local_subchannel_pool": 1,
    });
  }

  /**
   * One request, one answer. A call ends at its time limit or its signal even if the runtime hangs;
   * the cancelled stream notifies the runtime, but whether it did the work is then unknown.
   * @throws RuntimeError
   */
  unary(method: Method, request: object, options: CallOptions): Promise<unknown> {
    const definition = find(method);
    const { timeoutMs, signal } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(cancelled(method.name));
        return;
      }
      let timedOut = false;
      const call = this.#client.makeUnaryRequest<object, object>(
        definition.path,
        definition.requestSerialize,
        definition.responseDeserialize,
        request,
        metadataOf(options),
        (error: ServiceError | null, response?: object) => {
          timer?.cancel();
          stopListening?.();
          if (!error) resolve(response);
          else if (timedOut) reject(timeout(method.name, timeoutMs ?? 0));
          else reject(runtimeErrorFromStatus(error));
        },
      );
      const stopListening = signal && onAbort(signal, () => call.cancel());
      const timer =
        timeoutMs === undefined
          ? undefined
          : this.#clock.after(timeoutMs, () => {
              timedOut = true;
              call.cancel();
            });
    });
  }

  /** One request, a stream of answers until the runtime ends it or the signal aborts. */
  stream(method: Method, request: object, options: Omit<CallOptions, "timeoutMs">): ClientReadableStream<object> {
    const definition = find(method);
    const call = this.#client.makeServerStreamRequest<object, object>(
      definition.path,
      definition.requestSerialize,
      definition.responseDeserialize,
      request,
      metadataOf(options),
    );
    const { signal } = options;
    if (signal?.aborted) call.cancel();
    const stopListening = signal && onAbort(signal, () => call.cancel());
    call.once("close", () => stopListening?.());
    return call;
  }

  close(): void {
    this.#client.close();
  }
}

function find({ service, name }: Method) {
  const definition = service[name];
  assert(definition, `the service has a call ${name}`);
  return definition;
}

function metadataOf({ metadata: values }: Pick<CallOptions, "metadata">): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(values ?? {})) metadata.set(key, value);
  return metadata;
}

function cancelled(name: string): RuntimeError {
  return new RuntimeError("cancelled", `${name} was cancelled before it was sent`);
}

function timeout(name: string, timeoutMs: number): RuntimeError {
  return new RuntimeError("deadlineExceeded", `${name}: no answer from the runtime within ${timeoutMs} ms`);
}
