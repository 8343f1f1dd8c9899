export { aContainerConfig, aSandboxConfig } from "./configs.ts";
export type { AdoptedContainer, AdoptedPod } from "./runtime/adopted.ts";
export {
  type FakeRuntime,
  createFakeRuntime,
  type FakeRuntimeDeps,
  type FakeRuntimeOptions,
} from "./runtime/fake-runtime.ts";
export { type CallName, faultyRuntime, podCalls, type RuntimeCall, type RuntimeFaults } from "./runtime/faults.ts";
export { FileLogs, type LogSink, LogWriter, MemoryLogs } from "./runtime/logs.ts";
export { ScriptedFaults } from "./runtime/scripted-faults.ts";
export { type FakeStreams } from "./runtime/streams.ts";
export type { ContainerHappening, ContainerWitness } from "./runtime/witness.ts";
export { type ContainerProgram, programOf, scriptAnnotation, scriptRegistry } from "./script/container-program.ts";
