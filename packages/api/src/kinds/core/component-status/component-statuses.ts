/** The kind ComponentStatus, which the package exports as a whole. */
export * from "./component-status.ts";
export * from "./component-status-kind.ts";
export * from "./component-status-type.ts";
