import type { Clock } from "@kintsugi/clock";
import { connectToPlugin } from "@kintsugi/grpc";
import type { ClaimReference, DeviceDriver } from "../device-driver.ts";
import type { DeviceServiceName } from "../proto/service-names.ts";
import { deviceServices } from "../proto/services.ts";
import { preparedFromWire, unpreparedFromWire } from "./wire.ts";

export interface DeviceClientOptions {
  /** The driver's socket: "unix:///run/dra.sock". */
  readonly endpoint: string;
  readonly service: DeviceServiceName;
  /** The time limit of an answer. Upstream's kubelet gives a driver 45 seconds. */
  readonly callTimeoutMs: number;
}

/** A driver behind a socket. */
export interface DeviceClient extends DeviceDriver {
  /** Connects, and resolves with true if the driver's socket accepts connections. */
  isConnected(signal: AbortSignal): Promise<boolean>;
  close(): void;
}

/** The time limit of connecting to a socket of this machine. */
const connectTimeoutMs = 5_000;

/** A client of the driver at the endpoint. It connects at the first call. */
export function createDeviceClient(deps: { clock: Clock }, options: DeviceClientOptions): DeviceClient {
  const { endpoint, service: serviceName, callTimeoutMs } = options;
  const connection = connectToPlugin(deps.clock, endpoint);
  const service = deviceServices[serviceName];
  const call = (name: string, claims: readonly ClaimReference[], signal?: AbortSignal) =>
    connection.unary({ service, name }, { claims }, { timeoutMs: callTimeoutMs, signal });
  return {
    nodePrepareResources: async (claims, signal) =>
      preparedFromWire(await call("NodePrepareResources", claims, signal)),
    nodeUnprepareResources: async (claims, signal) =>
      unpreparedFromWire(await call("NodeUnprepareResources", claims, signal)),
    isConnected: (signal) => connection.isReady(connectTimeoutMs, signal),
    close: () => connection.close(),
  };
}
