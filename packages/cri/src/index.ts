export type * from "./container-runtime.ts";
export type * from "./messages/container.ts";
export type * from "./messages/image.ts";
export type * from "./messages/sandbox.ts";
export type * from "./messages/security.ts";
export type * from "./messages/usage.ts";
export { RuntimeError } from "./container-runtime.ts";
export { type ImageMounts, imageMountsOf } from "./wire/image-mounts.ts";
export { createCriRuntime, type CriRuntimeDeps, type CriRuntimeOptions } from "./grpc/cri-runtime.ts";
