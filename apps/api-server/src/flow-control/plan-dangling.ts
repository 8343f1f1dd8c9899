import { type ConditionLike, type FlowSchema, withCondition } from "@kintsugi/api";

/**
 * The status of a schema: whether its priority level is missing, in upstream's words
 * (apiserver/pkg/util/flowcontrol/apf_controller.go).
 */
export function planDangling(
  { spec, status }: FlowSchema,
  { hasLevel, nowMs }: { hasLevel: (name: string) => boolean; nowMs: number },
): FlowSchema["status"] {
  const level = spec?.priorityLevelConfiguration.name ?? "";
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  const isThere = hasLevel(level);
  const condition: ConditionLike = {
    type: "Dangling",
    status: isThere ? "False" : "True",
    reason: isThere ? "Found" : "NotFound",
    message: `${reference} ${isThere ? "and it exists" : "but there is no such object"}`,
  };
  return { ...status, conditions: withCondition((status?.conditions ?? []) as ConditionLike[], condition, nowMs) };
}
