import type { ValidationIssue } from "@kintsugi/api";
import { fieldInvalid } from "../../http/refusals.ts";
import { type PodSecurityLevel, podSecurityLevels, type PodSecurityPolicy } from "../../server-options.ts";

/** A level in the version of a minor release of Kubernetes; Infinity is the latest version. */
export interface LevelVersion {
  readonly level: PodSecurityLevel;
  readonly minor: number;
}

export const modes = ["enforce", "audit", "warn"] as const;
type Mode = (typeof modes)[number];

/** The levels that apply to a namespace. */
export type NamespacePolicy = Readonly<Record<Mode, LevelVersion>>;

export interface ParsedPolicy {
  readonly policy: NamespacePolicy;
  /** The labels that cannot be parsed. The strictest or the most lenient value replaces them. */
  readonly faults: readonly ValidationIssue[];
}

type Labels = Readonly<Record<string, string>>;

/** The labels of a namespace, by mode. */
export const policyLabels = {
  enforce: { level: "pod-security.kubernetes.io/enforce", version: "pod-security.kubernetes.io/enforce-version" },
  audit: { level: "pod-security.kubernetes.io/audit", version: "pod-security.kubernetes.io/audit-version" },
  warn: { level: "pod-security.kubernetes.io/warn", version: "pod-security.kubernetes.io/warn-version" },
} as const satisfies Readonly<Record<Mode, { level: string; version: string }>>;

/** Reads the policy of a namespace from its labels. */
export function policyOfLabels(labels: Labels = {}, defaults: PodSecurityPolicy): ParsedPolicy {
  const faults: ValidationIssue[] = [];
  const levelOf = (mode: Mode): PodSecurityLevel => {
    const text = labels[policyLabels[mode].level];
    if (text === undefined) return defaults[mode].level;
    const level = podSecurityLevels.find((each) => each === text);
    if (level !== undefined) return level;
    faults.push(labelFault(policyLabels[mode].level, text, `must be one of ${podSecurityLevels.join(", ")}`));
    // A label that cannot be parsed enforces the strictest level; for warnings it is ignored.
    return mode === "enforce" ? "restricted" : "privileged";
  };
  const minorOf = (mode: Mode): number => {
    const text = labels[policyLabels[mode].version] ?? defaults[mode].version;
    const minor = minorVersion(text);
    if (minor !== undefined) return minor;
    faults.push(labelFault(policyLabels[mode].version, text, 'must be "latest" or "v1.x"'));
    return Infinity;
  };
  const of = (mode: Mode): LevelVersion => ({ level: levelOf(mode), minor: minorOf(mode) });
  return { policy: { enforce: of("enforce"), audit: of("audit"), warn: of("warn") }, faults };
}

/** Reads "latest" or "v1.24"; undefined for any other text. */
export function minorVersion(text: string): number | undefined {
  if (text === "latest") return Infinity;
  const digits = /^v1\.(\d|[1-9]\d{1,8})$/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Writes a level as rejections show it: `baseline:v1.24`. */
export function formatLevel({ level, minor }: LevelVersion): string {
  return `${level}:${minor === Infinity ? "latest" : `v1.${minor}`}`;
}

export function isSameLevel(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.minor === b.minor;
}

export function isStricter(a: LevelVersion, b: LevelVersion): boolean {
  return podSecurityLevels.indexOf(a.level) > podSecurityLevels.indexOf(b.level);
}

function labelFault(label: string, value: string, why: string): ValidationIssue {
  return fieldInvalid(`metadata.labels[${label}]`, value, why);
}
