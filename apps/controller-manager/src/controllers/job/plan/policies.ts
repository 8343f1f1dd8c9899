import {
  type ContainerStatus,
  countIndexes,
  formatKey,
  type IndexInterval,
  type JobSpec,
  keyOf,
  type Pod,
  type PodFailurePolicyOnExitCodesRequirement,
  type PodFailurePolicyOnPodConditionsPattern,
  type PodFailurePolicyRule,
} from "@kintsugi/api";
import { countCommon, parseIndexes } from "./indexes.ts";

/** The consequence of one failed pod. */
export interface FailureVerdict {
  /** The failure counts towards the limits. */
  counts: boolean;
  action?: PodFailurePolicyRule["action"];
  /** The Job fails with this message. */
  failsJob?: string;
}

/** Judges a failed pod by the first rule that matches it: upstream's matchPodFailurePolicy. */
export function judgeFailure({ podFailurePolicy }: JobSpec, pod: Pod): FailureVerdict {
  for (const [index, rule] of (podFailurePolicy?.rules ?? []).entries()) {
    const { action } = rule;
    const matched = describeMatch(rule, pod);
    if (matched === undefined) continue;
    const failsJob = `${matched} matching ${action} rule at index ${index}`;
    return { counts: action !== "Ignore", action, ...(action === "FailJob" ? { failsJob } : {}) };
  }
  return { counts: true };
}

function describeMatch({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const name = formatKey(keyOf(pod));
  if (onExitCodes !== undefined) {
    const container = findExit(pod, onExitCodes);
    const code = container?.state?.terminated?.exitCode ?? 0;
    return container && `Container ${container.name} for pod ${name} failed with exit code ${code}`;
  }
  const condition = findPattern(pod, onPodConditions ?? []);
  return condition && `Pod ${name} has condition ${condition}`;
}

function findExit({ status }: Pod, wanted: PodFailurePolicyOnExitCodesRequirement): ContainerStatus | undefined {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return statuses.find(({ name, state }) => {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (wanted.containerName ?? name) !== name) return false;
    return wanted.values.includes(code) === (wanted.operator === "In");
  });
}

function findPattern({ status }: Pod, patterns: readonly PodFailurePolicyOnPodConditionsPattern[]): string | undefined {
  return (status?.conditions ?? []).find((condition) =>
    patterns.some(({ type, status: wanted }) => type === condition.type && wanted === condition.status),
  )?.type;
}

/** The message of the first rule of the success policy that the indexes fulfill. */
export function matchSuccessPolicy(
  { successPolicy, completions = 0 }: JobSpec,
  succeeded: readonly IndexInterval[],
): string | undefined {
  if (succeeded.length === 0) return undefined;
  const index = (successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) {
      return succeededCount !== undefined && countIndexes(succeeded) >= succeededCount;
    }
    const wanted = parseIndexes(succeededIndexes, completions);
    if (wanted.length === 0) return false;
    return countCommon(wanted, succeeded) >= (succeededCount ?? countIndexes(wanted));
  });
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}
