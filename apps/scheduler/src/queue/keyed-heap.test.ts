import fc from "fast-check";
import { expect, test } from "vitest";
import { KeyedHeap } from "./keyed-heap.ts";

interface Item {
  key: string;
  rank: number;
}

test("a heap with puts, replacements and removals returns the order of a sorted list", () => {
  const key = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
  const step = fc.oneof(
    fc.record({ do: fc.constant("put" as const), key, rank: fc.nat(20) }),
    fc.record({ do: fc.constant("remove" as const), key }),
    fc.record({ do: fc.constant("pop" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const heap = new KeyedHeap<Item>(
        ({ key }) => key,
        (a, b) => a.rank < b.rank,
      );
      const model = new Map<string, Item>();
      for (const one of steps) {
        const [actual, expected] = apply(one, heap, model);
        expect(actual).toEqual(expected);
        expect(heap.size).toBe(model.size);
        expect(heap.peek()?.rank).toBe(lowest(model));
        for (const [name, item] of model) expect(heap.find(name)).toEqual(item);
      }
    }),
  );
});

type Step = { do: "put"; key: string; rank: number } | { do: "remove"; key: string } | { do: "pop" };

/** Performs the step on both, and returns both answers. */
function apply(step: Step, heap: KeyedHeap<Item>, model: Map<string, Item>): [unknown, unknown] {
  switch (step.do) {
    case "put": {
      const item = { key: step.key, rank: step.rank };
      heap.put(item);
      model.set(item.key, item);
      return [undefined, undefined];
    }
    case "remove": {
      const expected = model.get(step.key);
      model.delete(step.key);
      return [heap.remove(step.key), expected];
    }
    case "pop": {
      const expected = lowest(model);
      const popped = heap.pop();
      model.delete(popped?.key ?? "");
      return [popped?.rank, expected];
    }
  }
}

function lowest(model: ReadonlyMap<string, Item>): number | undefined {
  return model.size === 0 ? undefined : Math.min(...[...model.values()].map(({ rank }) => rank));
}
