export {
  type CallFailure,
  type CallOptions,
  Connection,
  type ConnectionOptions,
  failureOf,
  type Method,
} from "./connection.ts";
export { type CallFault, sufferFault } from "./plugins/call-fault.ts";
export { answerCall, connectToPlugin, servePlugin } from "./plugins/plugin-socket.ts";
export {
  openRegistration,
  type PluginInfo,
  type Registration,
  type RegistrationStatus,
  serveRegistration,
} from "./plugins/registration.ts";
export { type Field, type MessageType, parseProtos, type Protos } from "./proto/proto-text.ts";
export { codecOf, type MessageCodec, serviceDefinition } from "./proto/service-definition.ts";
export { isRpcError, type RpcCode, RpcError } from "./rpc-error.ts";
export { type ServedService, serveOnSocket, type SocketServer, unaryHandler } from "./serve.ts";
