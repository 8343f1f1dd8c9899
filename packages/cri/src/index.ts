export type * from "./container-runtime.ts";
export { RuntimeError } from "./container-runtime.ts";
export { createCriRuntime, type CriRuntimeDeps, type CriRuntimeOptions } from "./grpc/cri-runtime.ts";
export { type Field, type MessageType, parseProtos } from "./proto/proto-text.ts";
export { serviceDefinition } from "./proto/service-definition.ts";
