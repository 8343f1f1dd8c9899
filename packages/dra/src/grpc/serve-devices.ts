import { answerCall, servePlugin, type SocketServer } from "@kintsugi/grpc";
import type { DeviceDriver } from "../device-driver.ts";
import { type DeviceServiceName, deviceServiceNames } from "../proto/service-names.ts";
import { deviceServices } from "../proto/services.ts";
import { type WireRequest, wireClaims } from "./wire.ts";

/** Serves a driver on a unix socket, in every version or in the named versions. */
export function serveDevices(
  driver: DeviceDriver,
  socketPath: string,
  services: readonly DeviceServiceName[] = deviceServiceNames,
): Promise<SocketServer> {
  const handlers = {
    NodePrepareResources: answerCall(async (request, signal) =>
      wireClaims(await driver.nodePrepareResources((request as WireRequest).claims, signal)),
    ),
    NodeUnprepareResources: answerCall(async (request, signal) =>
      wireClaims(await driver.nodeUnprepareResources((request as WireRequest).claims, signal)),
    ),
  };
  return servePlugin(
    services.map((name) => ({ definition: deviceServices[name], handlers })),
    socketPath,
  );
}
