import { checkLabelValue, checkQualifiedName } from "@kintsugi/api";
import { isForbiddenToKubelets } from "@kintsugi/rules";

/**
 * Returns what is wrong with a label that a kubelet would register on its Node; at most one fault.
 */
export function findLabelProblem(key: string, value: string): string | undefined {
  const [badKey] = checkQualifiedName(key);
  if (badKey !== undefined) return `the label's key "${key}": ${badKey}`;
  const [badValue] = checkLabelValue(value);
  if (badValue !== undefined) return `the label's value "${value}": ${badValue}`;
  if (!isForbiddenToKubelets(key)) return undefined;
  return `a kubelet may not set the label ${key} on its own Node; use \`kubectl label node\` when the cluster is up`;
}

/** "key=value:effect", or "key:effect". */
const taintForm = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/;

/** Returns what is wrong with the text of a taint. */
export function findTaintProblem(text: string): string | undefined {
  const [, key, value = ""] = taintForm.exec(text) ?? [];
  if (key === undefined)
    return `"${text}" is not key=value:effect with the effect NoSchedule, PreferNoSchedule or NoExecute`;
  const [problem] = [...checkQualifiedName(key), ...checkLabelValue(value)];
  return problem === undefined ? undefined : `the taint "${text}": ${problem}`;
}
