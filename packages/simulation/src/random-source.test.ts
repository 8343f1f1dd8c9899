import { expect, test } from "vitest";
import { SeededRandomSource, RandomOfEach } from "./random-source.ts";

test("a part draws by its name, whatever other parts draw", () => {
  const alone = new SeededRandomSource(7).of("scheduler").uuid();

  const randomSource = new SeededRandomSource(7);
  for (const other of ["load", "kubelet of node-1", "load"]) randomSource.of(other).bytes(40);

  expect(randomSource.of("scheduler").uuid()).toBe(alone);
});

test("another name, another time and another seed draw other numbers", () => {
  const randomSource = new SeededRandomSource(7);
  const drawn = [
    randomSource.of("a"),
    randomSource.of("a"),
    randomSource.of("b"),
    new SeededRandomSource(8).of("a"),
  ].map((random) => random.uuid());

  expect(new Set(drawn).size).toBe(4);
});

test("each member of a group has its own stable random numbers", () => {
  const each = new RandomOfEach(new SeededRandomSource(7), "the bus to");
  const [first, second] = [each.of("node-1").uuid(), each.of("node-1").uuid()];

  const random = new SeededRandomSource(7).of("the bus to node-1");
  expect([first, second]).toEqual([random.uuid(), random.uuid()]);
  expect(each.of("node-2").uuid()).not.toBe(new SeededRandomSource(7).of("the bus to node-1").uuid());
});
