import { strict as assert } from "node:assert";
import { Client, credentials, type ServiceDefinition, type ServiceError } from "@grpc/grpc-js";
import { type Clock, onAbort } from "@kintsugi/clock";
import { CsiError } from "../csi-error.ts";
import { csiErrorFromStatus } from "./status.ts";

/** Drivers answer with pages of volumes; gRPC's own default suits the largest of them. */
export const messageBytesMax = 4 * 1024 * 1024;

export interface UnaryCall {
  readonly service: ServiceDefinition;
  /** The call's name in the proto. */
  readonly name: string;
  readonly request: object;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** One connection to a plugin's unix socket; it connects at the first call, and again by itself. */
export class Connection {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor(clock: Clock, endpoint: string) {
    this.#clock = clock;
    this.#client = new Client(endpoint, credentials.createInsecure(), {
      "grpc.max_receive_message_length": messageBytesMax,
      // A restarted driver is found again within seconds.
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 3000,
      // A proxy from the environment must never stand between a node and its own plugin.
      "grpc.enable_http_proxy": 0,
      "grpc.use_local_subchannel_pool": 1,
    });
  }

  /**
   * One request, one answer. A call ends at its time limit or its signal even if the plugin hangs;
   * whether it did the work is then unknown.
   * @throws CsiError
   */
  unary({ service, name, request, timeoutMs, signal }: UnaryCall): Promise<object> {
    const definition = service[name];
    assert(definition, `the service has a call ${name}`);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(new CsiError("CANCELLED", `${name} was cancelled before it was sent`));
        return;
      }
      let timedOut = false;
      const call = this.#client.makeUnaryRequest<object, object>(
        definition.path,
        definition.requestSerialize,
        definition.responseDeserialize,
        request,
        (error: ServiceError | null, response?: object) => {
          timer.cancel();
          stopListening?.();
          if (error === null) resolve(response ?? {});
          else if (timedOut) reject(new CsiError("DEADLINE_EXCEEDED", `${name}: no answer within ${timeoutMs} ms`));
          else reject(csiErrorFromStatus(error));
        },
      );
      const stopListening = signal && onAbort(signal, () => call.cancel());
      const timer = this.#clock.after(timeoutMs, () => {
        timedOut = true;
        call.cancel();
      });
    });
  }

  /** Resolves with whether the plugin's socket takes connections; it rejects at the signal. */
  isReady(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const stopListening = onAbort(signal, () => reject(new CsiError("CANCELLED", "the caller gave up")));
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
