import { isCelList, isCelMap } from "@bufbuild/cel";

/** A text costs one for so many characters, as upstream. */
const charactersOfOne = 10;
/** More than any value of a request has; a larger one costs as much as this. */
const visitsMax = 1_000_000;

/** The cost of a look at the whole value, at least one. */
export function sizeOf(value: unknown): number {
  let cost = 0;
  const waiting: unknown[] = [value];
  for (let visits = 0; waiting.length > 0 && visits < visitsMax; visits++) {
    const next = waiting.pop();
    cost += 1;
    if (typeof next === "string") cost += Math.floor(next.length / charactersOfOne);
    else if (isCelList(next)) for (const item of next) waiting.push(item);
    else if (isCelMap(next)) for (const [, member] of next) waiting.push(member);
  }
  return cost;
}
