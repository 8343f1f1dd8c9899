import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { type CsiDriver, type CsiServiceName, serviceCalls } from "../csi-driver.ts";
import { csiServices, messageType, rpcName } from "../proto/definitions.ts";
import { plainMessage } from "../proto/plain-message.ts";
import { messageBytesMax } from "./connection.ts";
import { statusFromCsiError } from "./status.ts";

export interface PluginServer extends AsyncDisposable {
  /** "unix:///…". */
  readonly endpoint: string;
  /** Breaks every connection and removes the socket. */
  close(): Promise<void>;
}

export interface ServedService {
  readonly definition: ServiceDefinition;
  readonly handlers: UntypedServiceImplementation;
}

/**
 * Serves the calls that the driver has, as CSI v1 on a unix socket; one left by a dead server is
 * replaced.
 */
export function serveCsi(driver: Partial<CsiDriver>, socketPath: string): Promise<PluginServer> {
  const services = (Object.keys(serviceCalls) as CsiServiceName[]).flatMap((service) => {
    const handlers = handlersOf(service, driver);
    return Object.keys(handlers).length === 0 ? [] : [{ definition: csiServices[service], handlers }];
  });
  return servePlugin(services, socketPath);
}

export async function servePlugin(services: readonly ServedService[], socketPath: string): Promise<PluginServer> {
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

function handlersOf(service: CsiServiceName, driver: Partial<CsiDriver>): UntypedServiceImplementation {
  const handlers = serviceCalls[service].flatMap((name) => {
    const answer = driver[name] as ((request: object, signal: AbortSignal) => Promise<object>) | undefined;
    if (answer === undefined) return [];
    const requestType = messageType(name, "Request");
    const handler = answerCall((request, signal) => answer(plainMessage(requestType, request), signal));
    return [[rpcName(name), handler] as const];
  });
  return Object.fromEntries(handlers);
}

/** Answers one call of a client. */
export function answerCall(
  answer: (request: object, signal: AbortSignal) => Promise<object>,
): handleUnaryCall<object, object> {
  return (call, callback) => {
    const controller = new AbortController();
    call.once("cancelled", () => controller.abort());
    answer(call.request, controller.signal).then(
      (response) => callback(null, response),
      (error: unknown) => callback(statusFromCsiError(error)),
    );
  };
}
