import type { CelList, CelValue } from "@bufbuild/cel";
import { charge } from "../cost/meter.ts";
import { copyCostOf } from "../cost/value-size.ts";

/** The library recognizes a list by this mark, regardless of what created the list. */
const mark = Symbol.for("@bufbuild/cel/list");

/**
 * A list that shares its items with lists that continue beyond its end, like a slice in Go:
 *   items    [a, b, c]
 *   x        [a, b]       x + [d] copies, because c follows x's end
 *   x + [c]  [a, b, c]    the next turn of a loop appends in place
 * So `map` and `filter` take linear time, though each turn makes a list.
 */
class GrowingList {
  readonly items: CelValue[];
  readonly size: number;
  readonly [mark] = {};

  constructor(items: CelValue[], size: number) {
    this.items = items;
    this.size = size;
  }

  get(index: number): CelValue | undefined {
    return index < 0 || index >= this.size ? undefined : this.items[index];
  }

  *values(): Generator<CelValue> {
    for (let index = 0; index < this.size; index++) yield this.items[index] as CelValue;
  }

  [Symbol.iterator](): Generator<CelValue> {
    return this.values();
  }
}

/** Concatenates two lists. Each copied item is charged. */
export function appended(left: CelList, right: CelList): CelList {
  const isLast = left instanceof GrowingList && left.items.length === left.size;
  charge(copyCostOf(right) + (isLast ? 0 : copyCostOf(left)));
  const items = isLast ? (left as unknown as GrowingList).items : [...left];
  for (const item of right) items.push(item);
  return new GrowingList(items, left.size + right.size) as unknown as CelList;
}
