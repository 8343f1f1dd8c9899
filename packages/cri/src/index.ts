export type * from "./container-runtime.ts";
export { RuntimeError } from "./container-runtime.ts";
export { createCriRuntime, type CriRuntimeDeps, type CriRuntimeOptions } from "./grpc/cri-runtime.ts";
