export { dataOf, deleteKey, encodedObject, putData, resourceVersionOf } from "./changes.ts";
export { MemoryStore, type MemoryStoreDeps } from "./memory-store.ts";
export { SimulatedDisk, type SimulatedDiskDeps, type UnsyncedFate } from "./simulated-disk.ts";
