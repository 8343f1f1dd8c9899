import { formatHumanDuration, instantOf } from "@kintsugi/api";
import type { Explanation, ExplainedReason, ExplainedObject } from "../explanation.ts";
import { singleLine } from "../words/phrases.ts";

/** Number of remedies below a reason; further remedies are hidden. */
const remediesMax = 4;

/** Writes an explanation for a terminal: the state, then each reason with its timer. */
export function explanationText(explanation: Explanation, nowMs: number): string[] {
  const { subject, state, reasons, unread } = explanation;
  const head = `${titleOf(subject)}: ${state}.`;
  const nothing = reasons.length === 0 ? ["It does not wait for anything, and no problem was found."] : [];
  const blocks = reasons.map((reason, index) => reasonText(reason, { subject, number: index + 1, nowMs }));
  const gaps = unread.length === 0 ? [] : ["", ...unread.map((line) => `Not read: ${line}`)];
  return [head, ...nothing, ...blocks.flatMap((block) => ["", ...block]), ...gaps].map(oneLine);
}

/** Objects may contain any text. A line remains one line, and does not move the cursor. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ");
}

function reasonText(
  reason: ExplainedReason,
  { subject, number, nowMs }: { subject: ExplainedObject; number: number; nowMs: number },
): string[] {
  const { about, because, details = [], since, awaits, due, next, remedies = [] } = reason;
  const isOther = about.kind !== subject.kind || about.name !== subject.name;
  const sinceMs = instantOf(since);
  const indent = "   ";
  const lines = [`${number}. ${isOther ? `${titleOf(about)}: ` : ""}${because}`];
  lines.push(...details.map((detail) => `${indent}- ${singleLine(detail)}`));
  if (sinceMs !== undefined) lines.push(`${indent}Since: ${since} (${formatHumanDuration(nowMs - sinceMs)} ago)`);
  if (awaits !== undefined) lines.push(`${indent}Waits for: ${awaits}`);
  if (due !== undefined) lines.push(`${indent}Due: ${dueText(due, nowMs)}`);
  if (next !== undefined) lines.push(`${indent}Next: ${next}`);
  for (const { does, command } of remedies.slice(0, remediesMax))
    lines.push(
      `${indent}You can: ${does}${command === undefined ? "" : `:`}`,
      ...(command === undefined ? [] : [`${indent}  ${command}`]),
    );
  return lines;
}

function dueText({ at, timer }: NonNullable<ExplainedReason["due"]>, nowMs: number): string {
  const leftMs = (instantOf(at) ?? nowMs) - nowMs;
  const when = leftMs >= 1000 ? `in ${formatHumanDuration(leftMs)}` : "now";
  return `${when}, at ${at} (${timer})`;
}

function titleOf({ kind, namespace, name }: ExplainedObject): string {
  return `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
}
