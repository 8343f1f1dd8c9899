export * from "./endpoint-slice/endpoint-slice-kind.ts";
export * from "./endpoint-slice/endpoint-slice-type.ts";
export * from "./endpoint-slice/endpoint-slice.ts";
