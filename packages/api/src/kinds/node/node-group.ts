export * from "./runtime-class/runtime-class-kind.ts";
export * from "./runtime-class/runtime-class-type.ts";
export * from "./runtime-class/runtime-class.ts";
