export { Fleet, type FleetDeps, type FleetOptions } from "./fleet.ts";
export { type HollowConfig, readConfig } from "./config.ts";
