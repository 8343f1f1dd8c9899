export { type ClientContractSubject, describeClientContract } from "./client-contract.ts";
export { makeSelfSigned, type SelfSigned, serveOverHttps } from "./https-server.ts";
export { MemoryApi, type MemoryApiDeps } from "./memory-api.ts";
export { MemoryBus } from "./memory-bus.ts";
export { type MemoryChange, MemoryLog, type MemoryResourceType } from "./memory-log.ts";
