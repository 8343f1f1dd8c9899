import fc from "fast-check";
import { expect, test } from "vitest";
import { SubscriptionTree } from "./subscription-tree.ts";

/** The rule itself, filter by filter. */
function covers(filter: readonly string[], subject: readonly string[]): boolean {
  for (const [i, want] of filter.entries()) {
    if (want === ">") return subject.length > i;
    if (i >= subject.length || (want !== "*" && want !== subject[i])) return false;
  }
  return filter.length === subject.length;
}

const token = fc.constantFrom("a", "b", "c");
const subject = fc.array(token, { minLength: 1, maxLength: 4 });
const filter = fc
  .tuple(fc.array(fc.oneof(token, fc.constant("*")), { maxLength: 3 }), fc.constantFrom("a", "b", "*", ">"))
  .map(([tokens, last]) => [...tokens, last]);

test("finds exactly the filters that cover a subject, even after others are removed", () => {
  fc.assert(
    fc.property(fc.array(filter, { maxLength: 12 }), fc.array(subject, { maxLength: 6 }), (filters, subjects) => {
      const tree = new SubscriptionTree<number>();
      for (const [i, each] of filters.entries()) tree.add(each, i);
      const expectFound = (isThere: (i: number) => boolean) => {
        for (const each of subjects) {
          const expected = filters.flatMap((one, i) => (isThere(i) && covers(one, each) ? [i] : []));
          expect(tree.find(each).toSorted((a, b) => a - b)).toEqual(expected);
        }
      };
      expectFound(() => true);
      for (const [i, each] of filters.entries()) if (i % 2 === 0) tree.remove(each, i);
      expectFound((i) => i % 2 === 1);
    }),
  );
});

test("removing a missing filter changes nothing", () => {
  const tree = new SubscriptionTree<string>();
  tree.add(["a", "b"], "one");
  tree.remove(["a"], "one");
  tree.remove(["a", "b", "c"], "one");
  tree.remove(["a", "b"], "other");
  expect(tree.find(["a", "b"])).toEqual(["one"]);
});
