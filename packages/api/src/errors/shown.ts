/**
 * A rejection quotes the value that it rejects. A longer quote would not help a reader, and a body
 * of 3 MiB would be returned many times.
 */
export const shownLengthMax = 1024;

/** Returns `text`, or its beginning and the number of omitted characters. */
export function shortened(text: string, lengthMax: number = shownLengthMax): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}… (${text.length} characters)`;
}

/**
 * Quotes an object's value for a rejection as JSON, and serializes only the part that is shown.
 * Cuts are marked.
 */
export function shownValue(value: unknown): string {
  if (value === undefined) return "null";
  if (typeof value === "string") return JSON.stringify(shortened(value));
  if (typeof value !== "object" || value === null) return String(JSON.stringify(value));
  return shortened(JSON.stringify(beginningOf(value, { values: shownValuesMax })));
}

/** Maximum number of values in one quote. */
const shownValuesMax = 200;

function beginningOf(value: unknown, budget: { values: number }): unknown {
  budget.values--;
  if (typeof value === "string") return shortened(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (budget.values <= 0) {
        items.push("…");
        break;
      }
      items.push(beginningOf(item, budget));
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    if (budget.values <= 0) {
      members.push(["…", "…"]);
      break;
    }
    members.push([shortened(key), beginningOf((value as Record<string, unknown>)[key], budget)]);
  }
  return Object.fromEntries(members);
}
