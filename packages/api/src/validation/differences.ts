/**
 * Maximum number of lines in an error message, because readers do not read longer messages to the
 * end.
 */
const linesMax = 20;

/**
 * Lists the differences between two JSON values, one per line:
 *
 *   -  spec.nodeName: "node-1"
 *   +  spec.nodeName: "node-2"
 */
export function describeDifferences(before: unknown, after: unknown, path: string): string {
  const lines: string[] = [];
  collect(before, after, { path, lines });
  const shown = lines.slice(0, linesMax);
  if (lines.length > linesMax) shown.push(`   and ${lines.length - linesMax} lines more`);
  return shown.map((line) => `${line}\n`).join("");
}

interface Walk {
  path: string;
  lines: string[];
}

function collect(before: unknown, after: unknown, { path, lines }: Walk): void {
  if (before === after) return;
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    for (const key of keys) {
      const inner = Array.isArray(before) ? `${path}[${key}]` : `${path}.${key}`;
      collect(before[key], after[key], { path: inner, lines });
    }
    return;
  }
  if (before !== undefined) lines.push(`-  ${path}: ${JSON.stringify(before)}`);
  if (after !== undefined) lines.push(`+  ${path}: ${JSON.stringify(after)}`);
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
