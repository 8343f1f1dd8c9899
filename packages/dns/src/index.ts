export { Forwarder } from "./forwarder.ts";
export { NameServer } from "./name-server.ts";
export type { ZoneOptions } from "./records.ts";
export { Resolver } from "./resolver.ts";
export { ServiceDirectory, serviceIndexes, sliceIndexes } from "./service-directory.ts";
