export type * from "./container-runtime.ts";
export { RuntimeError } from "./container-runtime.ts";
export { type ImageMounts, imageMountsOf } from "./wire/image-mounts.ts";
export { createCriRuntime, type CriRuntimeDeps, type CriRuntimeOptions } from "./grpc/cri-runtime.ts";
