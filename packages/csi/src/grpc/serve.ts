import { answerCall, type ServedService, servePlugin, type SocketServer } from "@kintsugi/grpc";
import { type CsiDriver, type CsiServiceName, serviceCalls } from "../csi-driver.ts";
import { csiServices, messageType, rpcName } from "../proto/definitions.ts";
import { plainMessage } from "../proto/plain-message.ts";

/**
 * Serves the calls that the driver has, as CSI v1 on a unix socket. A socket that a dead server
 * left behind is replaced.
 */
export function serveCsi(driver: Partial<CsiDriver>, socketPath: string): Promise<SocketServer> {
  const services = (Object.keys(serviceCalls) as CsiServiceName[]).flatMap((service) => {
    const handlers = handlersOf(service, driver);
    return Object.keys(handlers).length === 0 ? [] : [{ definition: csiServices[service], handlers }];
  });
  return servePlugin(services, socketPath);
}

function handlersOf(service: CsiServiceName, driver: Partial<CsiDriver>): ServedService["handlers"] {
  const handlers = serviceCalls[service].flatMap((name) => {
    const answer = driver[name] as ((request: object, signal: AbortSignal) => Promise<object>) | undefined;
    if (answer === undefined) return [];
    const requestType = messageType(name, "Request");
    const handler = answerCall((request, signal) => answer(plainMessage(requestType, request), signal));
    return [[rpcName(name), handler] as const];
  });
  return Object.fromEntries(handlers);
}
