import { type Pod, pods } from "@kintsugi/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { byName, replicate, startWorld } from "../testing/informer-world.ts";

const isBound = ({ spec }: Pod) => spec?.nodeName !== undefined;

test("whatever happens to messages, connections and history, every informer ends with the server's state", async () => {
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant("put"),
        name: fc.constantFrom("a", "b", "c", "d"),
        node: fc.constantFrom("n1", "n2"),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant("create-unbound"), name: fc.constantFrom("a", "b", "c", "d") }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("remove"), name: fc.constantFrom("a", "b", "c", "d") }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant("deliver") }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("deliver-badly"), seed: fc.nat() }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom("mark", "notice", "drop", "interrupt", "settle", "second", "minute"),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constantFrom("bus-down", "bus-up", "api-down", "api-up", "end-watches", "break-watches"),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("compact", "restore", "hide-objects", "show-objects") }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 80 }), fc.nat(), async (steps, seed) => {
      await using world = startWorld(seed);
      const informers = [
        { informer: world.start({ type: pods }), isIn: () => true },
        { informer: world.start({ type: pods, nodeName: "n1" }), isIn: (pod: Pod) => pod.spec?.nodeName === "n1" },
        { informer: world.start({ type: pods, namespace: "default" }), isIn: () => true },
        { informer: world.start({ type: pods, namespace: "elsewhere" }), isIn: () => false },
        { informer: world.start({ type: pods, name: "a" }), isIn: (pod: Pod) => pod.metadata.name === "a" },
        { informer: world.start({ type: pods, keeps: isBound }), isIn: isBound },
      ];
      const replicas = informers.map(({ informer }) => replicate(informer));
      for (const one of steps)
        await world.perform(
          one,
          informers.map(({ informer }) => informer),
        );
      await world.heal(informers.map(({ informer }) => informer));
      expect(replicas.flatMap(({ faults }) => faults)).toEqual([]);
      for (const [i, { informer, isIn }] of informers.entries()) {
        const expected = (world.api.log.list("pods") as Pod[]).filter(isIn);
        expect(informer.list().toSorted(byName)).toEqual(expected.toSorted(byName));
        expect([...(replicas[i]?.known.values() ?? [])].toSorted(byName)).toEqual(expected.toSorted(byName));
      }
    }),
    { numRuns: 60 },
  );
}, 60_000);
