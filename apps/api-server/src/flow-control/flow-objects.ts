import {
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  suggestedFlowSchemas,
  suggestedPriorityLevels,
} from "@kintsugi/api";

/** The objects that a server with flow control makes; levels come before schemas that name them. */
export const flowObjects = [
  ...mandatoryPriorityLevels,
  ...suggestedPriorityLevels,
  ...mandatoryFlowSchemas,
  ...suggestedFlowSchemas,
];
