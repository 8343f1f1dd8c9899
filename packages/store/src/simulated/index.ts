export { restoreSnapshotOn } from "../snapshot/restore-snapshot.ts";
export { storedEntries, MemoryStore, type MemoryStoreDeps, type UnstoredObject } from "./memory-store.ts";
export { type MemoryLogConnection, SharedMemoryLog, type SharedLogFaults } from "./shared-memory-log.ts";
export { type DiskStep, type DiskStepKind, SimulatedDisk, type UnsyncedFate } from "./simulated-disk.ts";
