import type { ApiObject } from "../meta/api-object.ts";
import type { LabelSelector } from "../meta/label-selector-type.ts";
import { compareText } from "../values/text/compare-text.ts";
import { isTimestamp, parseTimestamp } from "../values/timestamp.ts";
import { formatHumanDuration } from "./human-duration.ts";

/** Time since a timestamp, for the AGE column. */
export function formatSince(timestamp: string | null | undefined, nowMs: number): string {
  const atMs = instantOf(timestamp);
  return atMs === undefined ? "<unknown>" : formatHumanDuration(nowMs - atMs);
}

/** An unknown point in time is missing, or null. */
export function instantOf(timestamp: string | null | undefined): number | undefined {
  return timestamp && isTimestamp(timestamp) ? parseTimestamp(timestamp) : undefined;
}

export function formatAge(object: ApiObject, nowMs: number): string {
  return formatSince(object.metadata.creationTimestamp, nowMs);
}

/** Formats labels: `a=1,b=2`, sorted; `<none>` without labels. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.toSorted().join(",");
}

/** Formats like metav1.FormatLabelSelector: `app=web,tier in (a,b),!old`. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values }) => {
    const list = `(${(values ?? []).toSorted().join(",")})`;
    switch (operator) {
      case "In":
        return `${key} in ${list}`;
      case "NotIn":
        return `${key} notin ${list}`;
      case "Exists":
        return key;
      case "DoesNotExist":
        return `!${key}`;
      default:
        return "<error>";
    }
  });
  const parts = [...labels, ...expressions].toSorted((left, right) => compareText(keyOf(left), keyOf(right)));
  return parts.length === 0 ? "<none>" : parts.join(",");
}

function keyOf(requirement: string): string {
  return /^!?([^=\s]*)/.exec(requirement)?.[1] ?? "";
}

/** Names and images of containers, for the wide columns of workloads. */
export function formatContainers(
  containers: readonly { name: string; image?: string | undefined }[],
): [names: string, images: string] {
  return [containers.map(({ name }) => name).join(","), containers.map(({ image }) => image ?? "").join(",")];
}

/** The first three items of a list, and the number of the remaining items. */
export function formatFirst(list: readonly string[]): string {
  const shownMax = 3;
  const shown = list.slice(0, shownMax).join(",");
  if (list.length > shownMax) {
    return `${shown} + ${list.length - shownMax} more...`;
  }
  return shown === "" ? "<unset>" : shown;
}

export function countEntries(entries: Readonly<Record<string, string>> | undefined): number {
  return Object.keys(entries ?? {}).length;
}
