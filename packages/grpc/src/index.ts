export {
  type CallFailure,
  type CallOptions,
  Connection,
  type ConnectionOptions,
  failureOf,
  type Method,
} from "./connection.ts";
export { type Field, type MessageType, parseProtos, type Protos } from "./proto/proto-text.ts";
export { codecOf, type MessageCodec, serviceDefinition } from "./proto/service-definition.ts";
export { type ServedService, serveOnSocket, type SocketServer, unaryHandler } from "./serve.ts";
