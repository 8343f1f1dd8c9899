export { bootstrapFlowObjects, mandatoryFlowSchemas, mandatoryPriorityLevels } from "./bootstrap-flow-objects.ts";
export { flowSchemas } from "./flow-schema/flow-schema-type.ts";
export type { FlowNonResourceRule, FlowResourceRule, FlowSchema, FlowSubject } from "./flow-schema/flow-schema.ts";
export { priorityLevelConfigurations } from "./priority-level-configuration/priority-level-configuration-type.ts";
export type { PriorityLevelConfiguration } from "./priority-level-configuration/priority-level-configuration.ts";
