export { LevelStore, type LevelStoreDeps, type LevelStoreOptions } from "./level/level-store.ts";
export type { StoreOptions } from "./store-options.ts";
export {
  type Change,
  type Committed,
  type CommittedChange,
  type CompactionResult,
  type EncodedObject,
  type Entry,
  type EntryIndex,
  type ListOptions,
  CommitTimeout,
  ObjectTooLarge,
  OutcomeUnknown,
  type Page,
  RevisionExpired,
  type ScrubResult,
  type Store,
  StoreCorrupt,
  StoreFull,
  StoreInUse,
  type StoreReader,
  StoreUnavailable,
  type UpdateOptions,
  ValueSealed,
} from "./store.ts";
export type { StoredValues } from "./stored-values.ts";
export type { BatchLimits } from "./commit/batch.ts";
export {
  type LogCommit,
  type LogFollower,
  type LoggedChange,
  type LogHead,
  type LogMark,
  type LogPosition,
  LogUnreachable,
  type ReplicatedLog,
} from "./replicated/replicated-log.ts";
export {
  ReplicatedStore,
  type ReplicatedStoreOptions,
  type ReplicatedStoreDeps,
} from "./replicated/replicated-store.ts";
export { inspectSnapshot, type SnapshotReport } from "./snapshot/inspect-snapshot.ts";
export { type RestoreLogDeps, restoreSnapshotToLog } from "./snapshot/restore-log.ts";
export { restoreSnapshot, type RestoredStore } from "./snapshot/restore-snapshot.ts";
export { exportSnapshot } from "./snapshot/snapshot-format.ts";
