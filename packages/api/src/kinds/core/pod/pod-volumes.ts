// The volumes of pods, and the rules of their claims, as other workspaces see them.

export * from "./rules/volume-claims.ts";
export * from "./volumes/volume.ts";
export * from "./volumes/volume-claim.ts";
export * from "./volumes/volume-cloud.ts";
export * from "./volumes/volume-files.ts";
export * from "./volumes/volume-local.ts";
export * from "./volumes/volume-network.ts";
