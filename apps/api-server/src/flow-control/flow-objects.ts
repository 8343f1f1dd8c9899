import {
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  suggestedFlowSchemas,
  suggestedPriorityLevels,
} from "@kintsugi/api";

/** The objects that a server with flow control creates. Levels precede schemas that name them. */
export const flowObjects = [
  ...mandatoryPriorityLevels,
  ...suggestedPriorityLevels,
  ...mandatoryFlowSchemas,
  ...suggestedFlowSchemas,
];
