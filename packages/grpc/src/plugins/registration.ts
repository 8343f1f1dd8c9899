import type { Clock } from "@kintsugi/clock";
import { parseProtos } from "../proto/proto-text.ts";
import { serviceDefinition } from "../proto/service-definition.ts";
import type { SocketServer } from "../serve.ts";
import { answerCall, connectToPlugin, servePlugin } from "./plugin-socket.ts";

/** A plugin's description of itself. */
export interface PluginInfo {
  /** "CSIPlugin". */
  readonly type: string;
  readonly name: string;
  /** The path of the plugin's own socket. */
  readonly endpoint: string;
  readonly supportedVersions: readonly string[];
}

export interface RegistrationStatus {
  readonly pluginRegistered: boolean;
  readonly error: string;
}

/** A plugin that waits at its registration socket to be registered by its kubelet. */
export interface Registration {
  getInfo(signal: AbortSignal): Promise<PluginInfo>;
  notify(status: RegistrationStatus, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The protocol by which a node's plugins register with its kubelet (pluginregistration v1). */
const registrationProto = `
syntax = "proto3";
package pluginregistration;

service Registration {
  rpc GetInfo(InfoRequest) returns (PluginInfo);
  rpc NotifyRegistrationStatus(RegistrationStatus) returns (RegistrationStatusResponse);
}
message InfoRequest {}
message PluginInfo { string type = 1; string name = 2; string endpoint = 3; repeated string supported_versions = 4; }
message RegistrationStatus { bool plugin_registered = 1; string error = 2; }
message RegistrationStatusResponse {}
`;

const registrationService = serviceDefinition(parseProtos([registrationProto]), "pluginregistration.Registration");

/** Upstream's time limit of both calls is a second; a busy machine may take longer. */
const registrationTimeoutMs = 5_000;

export function openRegistration(deps: { clock: Clock }, socketPath: string): Registration {
  const connection = connectToPlugin(deps.clock, `unix://${socketPath}`);
  const call = (name: string, request: object, signal: AbortSignal) =>
    connection.unary({ service: registrationService, name }, request, { timeoutMs: registrationTimeoutMs, signal });
  return {
    getInfo: async (signal) => (await call("GetInfo", {}, signal)) as PluginInfo,
    notify: async (status, signal) => {
      await call("NotifyRegistrationStatus", status, signal);
    },
    close: () => connection.close(),
  };
}

/** Serves a plugin's registration socket; `onStatus` receives the kubelet's answers. */
export function serveRegistration(
  info: PluginInfo,
  socketPath: string,
  onStatus: (status: RegistrationStatus) => void,
): Promise<SocketServer> {
  const handlers = {
    GetInfo: answerCall(async () => info),
    NotifyRegistrationStatus: answerCall(async (request) => {
      onStatus(request as RegistrationStatus);
      return {};
    }),
  };
  return servePlugin([{ definition: registrationService, handlers }], socketPath);
}
