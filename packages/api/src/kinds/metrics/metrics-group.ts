export * from "./usage/usage-kinds.ts";
export * from "./usage/usage-types.ts";
export * from "./usage/usage.ts";
