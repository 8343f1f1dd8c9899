export type {
  AttachableDisk,
  FaultableCluster,
  SimulatedCluster,
  SimulatedControlPlane,
  SimulatedNode,
  SimulatedServer,
} from "./cluster.ts";
export { storeSession } from "./disk/store-session.ts";
export { CommittedLog, type CommittedStore, type StoreObserver } from "./disk/committed-log.ts";
export { CrashPoints } from "./disk/crash-points.ts";
export { ServerDisk, type ServerDiskOptions } from "./disk/server-disk.ts";
export { LastingMemory, type ServerStorage } from "./disk/server-storage.ts";
export { type Fault, pick, alreadyOver, type TargetKind, type Undo, type World } from "./faults/fault.ts";
export { CallFaults } from "./faults/call-faults.ts";
export { failedProbe, ProbeFaults } from "./faults/probe-faults.ts";
export { Census, type EndState } from "./comparison/census.ts";
export { differences } from "./comparison/differences.ts";
export { wrongSettings } from "./faults/fault-settings.ts";
export { faults, findFault, isDesiredChange } from "./faults/faults.ts";
export { Holds } from "./faults/holds.ts";
export { SeededRandomSource, RandomOfEach, type RandomSource } from "./random-source.ts";
export { serviceNames } from "./faults/targets.ts";
export { minimizeList, type StillFails } from "./shrink/minimize-list.ts";
export { firstChange } from "./first-change.ts";
export { checkHistory, countChecks, keptDefault } from "./history/check-history.ts";
export type {
  Call,
  Commit,
  FinalState,
  History,
  HistoryViolation,
  ListCall,
  ListedItem,
  ListedPage,
  Outcome,
  Precondition,
  Selector,
  Value,
  Verb,
  WatchEnd,
  WatchEvent,
  WatchFrame,
  WatchStream,
} from "./history/history.ts";
export { Journal, type JournalRecord, readJournal } from "./history/journal.ts";
export type { KeptHistory } from "./history/checks/watch-ends.ts";
export type { Invariant, Violation } from "./invariants/invariant.ts";
export { invariantList } from "./invariants/invariant-list.ts";
export { type Hear, Invariants } from "./invariants/check-invariants.ts";
export { ViewClock } from "./invariants/observed/view-clock.ts";
export { SteadyClocks } from "./invariants/observed/steady-clocks.ts";
export { WorkingNodes } from "./invariants/observed/working-nodes.ts";
export { Known } from "./invariants/observed/known-objects.ts";
export { Copies, type Copy } from "./instruments/copies.ts";
export { Loads } from "./instruments/loads.ts";
export { type Level, Levels } from "./instruments/levels.ts";
export { type Core, notConverged, watchForUnrest } from "./liveness/convergence.ts";
export { BusLinks } from "./network/bus-links.ts";
export { QuietPeriod } from "./quiet-period.ts";
export type { RequestWitness, StreamWitness } from "./invariants/observed/seen-request.ts";
export { Connections } from "./network/connections.ts";
export { Latency } from "./network/latency.ts";
export { RequestFaults } from "./network/request-faults.ts";
export { connectTo, type RequestHook, Wire } from "./network/wire.ts";
export { overheard } from "./process/overheard-log.ts";
export { Incarnation, mortal } from "./process/incarnation.ts";
export { MachineClock } from "./process/machine-clock.ts";
export { type Death, VirtualProcess } from "./process/virtual-process.ts";
export { isReady, parseValue } from "./committed-values.ts";
export { ReadOnce } from "./read-once.ts";
export { commitOf, RecordedConfigMaps } from "./recorder/recorded-config-maps.ts";
export { Recorder, type Write } from "./recorder/recorder.ts";
export type { CheckedExpectation, Expectation } from "./scenario/expectation.ts";
export type { AvailabilitySample } from "./timeline/downtime.ts";
export { countChange, type PodCounts } from "./timeline/pod-counts.ts";
export { checkExpectations } from "./timeline/check-expectations.ts";
export { formatInstant } from "./timeline/step.ts";
export { measures } from "./scenario/expectation.ts";
export { parseFaults, parseScenario, type ScenarioFile } from "./scenario/parse-scenario.ts";
export type {
  FaultSettings,
  PlannedFault,
  Scenario,
  ScenarioNode,
  ScenarioWorkload,
  ScenarioQuota,
  ScenarioWorld,
} from "./scenario/scenario.ts";
export { flagsOfTimers, type TimerFlag } from "./scenario/timer-flags.ts";
export { writeScenario } from "./scenario/write-scenario.ts";
export { shrinkScenario } from "./shrink/shrink-scenario.ts";
export { renderComparison } from "./timeline/compare-reports.ts";
export { renderAppendix, renderHtml } from "./timeline/html/render-html.ts";
export { RecordedObjects } from "./timeline/recorded-objects.ts";
export { Recording } from "./timeline/recording.ts";
export { renderBody, renderHead, renderText } from "./timeline/render-text.ts";
export { makeReport, reportHead, type ScenarioReport } from "./timeline/report.ts";
export { storyOfRun } from "./timeline/story-of-run.ts";
export type { RunObserver } from "./timeline/run-observer.ts";
export { Trace } from "./trace.ts";
export { aDeployment, aPod, aReplicaSet, aTemplate, type WorkloadTraits } from "./workloads/builders.ts";
export { anAutoscaler } from "./workloads/autoscaler.ts";
export { claimTemplateName } from "./workloads/kinds/stateful-set.ts";
export { kindOf } from "./workloads/workload-kinds.ts";
export { attributesClassNames, hasSnapshots, snapshotClassNames } from "./faults/catalogue/volumes.ts";
