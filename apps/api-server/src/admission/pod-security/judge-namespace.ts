import { type Namespace, type Pod, pods, type ValidationIssue } from "@kintsugi/api";
import type { Store } from "@kintsugi/store";
import { decodeEntry } from "../../resources/encoding.ts";
import { storePrefix } from "../../resources/keys.ts";
import type { PodSecuritySettings } from "../../server-options.ts";
import { violationsOf } from "./evaluate-pod.ts";
import {
  formatLevel,
  isSameLevel,
  isStricter,
  type LevelVersion,
  modes,
  type NamespacePolicy,
  policyLabels,
  policyOfLabels,
} from "./pod-security-policy.ts";

interface Judged {
  readonly faults: readonly ValidationIssue[];
  readonly warnings: readonly string[];
}

interface JudgeContext {
  store: Pick<Store, "list">;
  settings: PodSecuritySettings;
}

const nothing: Judged = { faults: [], warnings: [] };

/**
 * Checks the labels of a namespace: new labels have to be valid, and for a stricter level it
 * returns warnings about the pods that violate it.
 */
export function judgeNamespace(now: Namespace, old: Namespace | undefined, context: JudgeContext): Judged {
  const { defaults, exemptions } = context.settings;
  const name = now.metadata.name ?? "";
  const parsed = policyOfLabels(now.metadata.labels, defaults);
  const before = old === undefined ? undefined : policyOfLabels(old.metadata.labels, defaults);
  if (parsed.faults.length > 0 && JSON.stringify(parsed.faults) !== JSON.stringify(before?.faults)) {
    return { faults: parsed.faults, warnings: [] };
  }
  if (exemptions.namespaces.includes(name)) return { faults: [], warnings: exemptWarnings(now, parsed.policy) };
  if (before === undefined || !needsCheck(parsed.policy.enforce, before.policy.enforce)) return nothing;
  return { faults: [], warnings: podWarnings(name, parsed.policy.enforce, context) };
}

function needsCheck(now: LevelVersion, old: LevelVersion): boolean {
  if (isSameLevel(now, old) || now.level === "privileged") return false;
  return now.minor !== old.minor || isStricter(now, old);
}

/** Labels of an exempt namespace have no effect, which may surprise their author. */
function exemptWarnings({ metadata: { name, labels = {} } }: Namespace, policy: NamespacePolicy): string[] {
  const set = modes.filter(
    (mode) =>
      policy[mode].level !== "privileged" &&
      (labels[policyLabels[mode].level] !== undefined || labels[policyLabels[mode].version] !== undefined),
  );
  if (set.length === 0) return [];
  const text = set.map((mode) => `${mode}=${formatLevel(policy[mode])}`).join(", ");
  return [`namespace ${JSON.stringify(name)} is exempt from Pod Security, and the policy (${text}) will be ignored`];
}

/** Upstream's limit. The pods are checked while a batch of writes waits. */
const podsMax = 3000;

function podWarnings(namespace: string, enforce: LevelVersion, { store, settings }: JudgeContext): string[] {
  const { entries, more, remaining } = store.list(storePrefix(pods, namespace), { limit: podsMax });
  const total = entries.length + (more ? remaining : 0);
  const groups = new Map<string, string[]>();
  for (const entry of entries) {
    // A stored object has passed the kind's schema, so it has the kind's shape.
    const { metadata, spec } = decodeEntry(entry) as Pod;
    if (spec === undefined || settings.exemptions.runtimeClasses.includes(spec.runtimeClassName ?? "")) continue;
    const violations = violationsOf({ metadata, spec }, enforce);
    if (violations.length === 0) continue;
    const text = violations.map(({ reason }) => reason).join(", ");
    groups.set(text, [...(groups.get(text) ?? []), metadata.name ?? ""]);
  }
  const cut = `new PodSecurity enforce level only checked against the first ${entries.length} of ${total} existing pods`;
  const level = JSON.stringify(formatLevel(enforce));
  const heading = `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${level}`;
  const each = [...groups].map(([text, names]) => `${namesText(names)}: ${text}`);
  return [...(total > entries.length ? [cut] : []), ...(each.length > 0 ? [heading] : []), ...each.toSorted()];
}

function namesText(names: readonly string[]): string {
  const first = names.toSorted()[0] ?? "";
  const others = names.length - 1;
  if (others === 0) return first;
  return `${first} (and ${others} other ${others === 1 ? "pod" : "pods"})`;
}
