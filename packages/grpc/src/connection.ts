import { strict as assert } from "node:assert";
import {
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceDefinition,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { type Clock, onAbort } from "@kintsugi/clock";

export interface ConnectionOptions {
  /** The socket: "unix:///run/containerd/containerd.sock". */
  endpoint: string;
  /** The largest message in either direction. */
  messageBytesMax: number;
  /** The name of the peer in the text of a timeout, such as "the runtime". */
  peer?: string;
  /** Returns the error that a caller gets for a failed call. */
  errorOf: (failure: CallFailure) => Error;
}

/** The reason why a call has no answer; `text` is the peer's own text if it answered. */
export interface CallFailure {
  readonly code: status;
  readonly text: string;
  readonly cause?: ServiceError;
}

export interface Method {
  readonly service: ServiceDefinition;
  /** The call's name in the proto. */
  readonly name: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
  /** The time limit of the answer; undefined for no limit. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A connection to a unix socket of this machine. It connects at the first call, and reconnects when
 * the peer returns.
 */
export class Connection {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #options: ConnectionOptions;

  constructor(clock: Clock, options: ConnectionOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#client = new Client(options.endpoint, credentials.createInsecure(), {
      "grpc.max_receive_message_length": options.messageBytesMax,
      "grpc.max_send_message_length": options.messageBytesMax,
      // Upstream's kubelet waits 100 ms to 3 s between connection attempts, so a restarted server
      // is found within seconds.
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 3000,
      // A proxy from the environment must never be used between a node and its own programs.
      "grpc.enable_http_proxy": 0,
      "grpc.use_local_subchannel_pool": 1,
    });
  }

  /**
   * Sends one request and resolves with its answer. A call ends at its time limit or its signal
   * even if the peer hangs. The cancelled stream notifies the peer, but the peer may or may not
   * have done the work.
   * @throws the error that `errorOf` returns
   */
  unary(method: Method, request: object, options: CallOptions): Promise<object> {
    const definition = find(method);
    const { timeoutMs, signal } = options;
    const { errorOf, peer } = this.#options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(errorOf({ code: status.CANCELLED, text: `${method.name} was cancelled before it was sent` }));
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
          if (error === null) resolve(response ?? {});
          else if (timedOut) {
            const from = peer === undefined ? "" : ` from ${peer}`;
            const text = `${method.name}: no answer${from} within ${timeoutMs} ms`;
            reject(errorOf({ code: status.DEADLINE_EXCEEDED, text }));
          } else reject(errorOf(failureOf(error)));
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

  /**
   * Sends one request. Its answers arrive until the peer closes the stream or the signal aborts.
   */
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

  /** Resolves with true if the socket accepts connections, and rejects when the signal aborts. */
  isReady(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const stopListening = onAbort(signal, () =>
        reject(this.#options.errorOf({ code: status.CANCELLED, text: "the caller aborted the call" })),
      );
      this.#client.waitForReady(this.#clock.nowMs() + timeoutMs, (error) => {
        stopListening();
        resolve(error === undefined || error === null);
      });
    });
  }

  close(): void {
    this.#client.close();
  }
}

/** Returns the failure of a call that the peer answered with an error. */
export function failureOf(error: ServiceError): CallFailure {
  return { code: error.code, text: error.details || error.message, cause: error };
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
