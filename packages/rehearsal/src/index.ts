export { UnreadableSource } from "./source/unreadable.ts";
export { readDocuments, refusedListKind } from "./source/read-documents.ts";
export { applyRecord, type RecordedPast } from "./record/apply-record.ts";
export { auditEntryOf, type AuditEntry, auditIncidents } from "./record/audit-incidents.ts";
export { type RepeatableIncident, type Incidents, scenarioOf } from "./record/incident.ts";
export { observedLine } from "./source/observed-lines.ts";
export { recordIncidents } from "./record/record-incidents.ts";
export { isSimkubeTrace, readSimkubeTrace } from "./source/simkube-trace.ts";
export { nodesFromFlag } from "./source/nodes-flag.ts";
export {
  instantIn,
  isRecord,
  type ListedKind,
  type RawDocuments,
  type RecordedChange,
  rawKeyOf,
  type RawObject,
} from "./source/raw-object.ts";
export { makePicture, type PictureSource } from "./picture/make-picture.ts";
export { isKnown, type KindReading, objectsOf, type ClusterPicture, podsAreUnknown } from "./picture/picture.ts";
export { type RehearsedKind, rehearsedKinds } from "./picture/rehearsed-kinds.ts";
export { isNeverAttached } from "./model/volumes.ts";
export { defaultGraceMs, type ShownGrace } from "./model/shown-grace.ts";
export { nodeIsReady, type StartObject, type StartState, startState } from "./model/start-state.ts";
export { type RehearsedWorkload, WorkloadIndex, workloadTypes } from "./model/workloads.ts";
export { WorkloadAvailability, type TrackedWorkload } from "./outcomes/availability.ts";
export { downtimeWithin } from "./outcomes/downtime.ts";
export type {
  CauseKind,
  CauseStep,
  DrainTurn,
  RunOutcome,
  PendingPod,
  StuckPod,
  WorkloadOutcome,
} from "./outcomes/outcome.ts";
export type { RehearsalQuestion, ScenarioStroke } from "./questions/question.ts";
export { silentDependencies, type SilentDependencies } from "./questions/silent-webhooks.ts";
export { keeps, budgetSelects } from "./model/budgets.ts";
export { endlessPodsText, podsMadeMax } from "./model/pods-made.ts";
export { withSurge } from "./model/surge-nodes.ts";
export { assumedTimes, goDurationMs, type Timings, timingsOf } from "./model/timings.ts";
export { drawAttachMs, drawCrashMs, drawLookMs, drawMoment, drawPodTimes, drawPullMs } from "./model/draw-times.ts";
export {
  drainQuestion,
  questionsAbout,
  questionSubjects,
  type QuestionSubject,
  upgradeQuestion,
} from "./questions/make-questions.ts";
export type { Aftermath, LostWork } from "./outcomes/aftermath.ts";
export type { Percentiles } from "./outcomes/percentiles.ts";
export { type Answer, summarize, type WorkloadAnswer } from "./outcomes/summarize.ts";
export { makeRehearsalReport, type RehearsalReport, type ReportInput } from "./report/report.ts";
export { comparedRows, type ComparedRow, type ChangeComparison } from "./report/compare.ts";
export { reportText } from "./report/text.ts";
export { shortRefusal } from "./report/words.ts";
export { reportAppendix, reportHtml } from "./report/html.ts";
export { reportJson, reportJunit, reportMarkdown } from "./report/other-forms.ts";
export { type FailOn, failuresOf, failuresOfChange, parseFailOn } from "./report/fail-on.ts";
export type { TriedChange } from "./report/changes.ts";
export { dumpCommand, listPathOf, readingRole } from "./picture/ways-to-read.ts";
export { type PackedStart, packStart, unpackStart } from "./model/packed-start.ts";
export { commandOf, lacksPods, type ProposedChange, proposeChanges } from "./questions/propose-changes.ts";
export { changedStart } from "./questions/changed-start.ts";
