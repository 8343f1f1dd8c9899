export type * from "./container-runtime.ts";
export { RuntimeError } from "./container-runtime.ts";
