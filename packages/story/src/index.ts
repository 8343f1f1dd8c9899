export { type Bar, type Mark, podKey, type PodState, type Span, stateOf } from "./bar.ts";
export {
  isTroubled,
  recoveriesOf,
  type Recovery,
  type RecoveryStep,
  type Replacement,
  replacementsIn,
  wasSilent,
} from "./causes.ts";
export { degradedTimeOf, downtimeOf, type WorkloadDowntime, withTimers } from "./downtime.ts";
export type { Lane, Row } from "./lane.ts";
export {
  type CheckState,
  type GoalState,
  type JudgedRun,
  judgeGoal,
  judgePrediction,
  type PredictionVerdict,
} from "./lessons/judge-lesson.ts";
export {
  type CodePlace,
  type Goal,
  type GoalCheck,
  type Knob,
  type Lesson,
  type RunSubject,
  type Prediction,
  type RehearsalSubject,
  requestOf,
} from "./lessons/lesson.ts";
export { answerText, checkText, readPrediction } from "./lessons/lesson-text.ts";
export { lessons } from "./lessons/lessons.ts";
export {
  type OwnerMetadata,
  ownerKinds,
  rememberOwner,
  wantedPods,
  workloadByName,
  workloadKey,
  workloadOf,
  type WorkloadRef,
} from "./owners.ts";
export { perfettoTrace, type TraceSource } from "./perfetto/perfetto-trace.ts";
export type { PerfettoFile, TraceEvent } from "./perfetto/trace-event.ts";
export {
  type FaultBar,
  type PodSample,
  samplesOf,
  shortagesOf,
  type Silence,
  silencesOf,
  turnsOf,
} from "./pod-counts.ts";
export { pictureNextTo, publishedPage, type PublishedPage } from "./pictures/preview-tags.ts";
export { type PageHost, readPlayer, type WrittenPage, writtenPage } from "./pictures/written-page.ts";
export { runPicture, type PicturedRun, pictureWidth } from "./pictures/run-picture.ts";
export { type PackedRecording, type PageAppendix, type PlayerFiles, playersPage } from "./recording/player-page.ts";
export type {
  AddedCommand,
  AddedFault,
  AskRequest,
  CompleteRequest,
  PlayableScenario,
  PlayAnswer,
  PlayRequest,
  RehearseRequest,
  SimulatorRequest,
} from "./recording/play-messages.ts";
export { playSettings } from "./recording/play-settings.ts";
export { isHistoryOf, podHistoriesOf, silenceBar } from "./recording/pod-histories.ts";
export type { Caption, ObjectChange, PodHistory, StoryRecording } from "./recording/story-recording.ts";
export { replacementsOf } from "./replacements.ts";
export { ClusterStory } from "./story.ts";
export { recoveryTrace, type TraceSpan } from "./recovery-trace.ts";
