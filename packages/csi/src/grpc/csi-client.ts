import type { Clock } from "@kintsugi/clock";
import { csiCallNames, type CsiDriver } from "../csi-driver.ts";
import { csiServices, messageType, rpcName } from "../proto/definitions.ts";
import { plainMessage } from "../proto/plain-message.ts";
import { connectToPlugin } from "@kintsugi/grpc";

export interface CsiClientOptions {
  /** The driver's socket: "unix:///run/csi.sock". */
  endpoint: string;
  /**
   * The time limit of an answer. Upstream's kubelet gives a driver 2 minutes, its attacher 15
   * seconds.
   */
  callTimeoutMs: number;
}

/** A driver behind a socket. */
export interface CsiClient extends CsiDriver {
  close(): void;
}

/** A CSI v1 client of the driver at the endpoint. It connects at the first call. */
export function createCsiClient(deps: { clock: Clock }, options: CsiClientOptions): CsiClient {
  const connection = connectToPlugin(deps.clock, options.endpoint);
  const calls = csiCallNames.map(({ service, name }) => {
    const responseType = messageType(name, "Response");
    const call = async (request: object, signal?: AbortSignal) =>
      plainMessage(
        responseType,
        await connection.unary({ service: csiServices[service], name: rpcName(name) }, request, {
          timeoutMs: options.callTimeoutMs,
          signal,
        }),
      );
    return [name, call] as const;
  });
  return { ...(Object.fromEntries(calls) as unknown as CsiDriver), close: () => connection.close() };
}
