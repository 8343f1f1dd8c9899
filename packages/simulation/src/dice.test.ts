import { expect, test } from "vitest";
import { Dice, DiceOfEach } from "./dice.ts";

test("a part draws by its name, whoever else draws and however often", () => {
  const alone = new Dice(7).of("scheduler").uuid();

  const dice = new Dice(7);
  for (const other of ["load", "kubelet of node-1", "load"]) dice.of(other).bytes(40);

  expect(dice.of("scheduler").uuid()).toBe(alone);
});

test("another name, another time and another seed draw something else", () => {
  const dice = new Dice(7);
  const drawn = [dice.of("a"), dice.of("a"), dice.of("b"), new Dice(8).of("a")].map((random) => random.uuid());

  expect(new Set(drawn).size).toBe(4);
});

test("each of several keeps its dice", () => {
  const each = new DiceOfEach(new Dice(7), "the bus to");
  const [first, second] = [each.of("node-1").uuid(), each.of("node-1").uuid()];

  const random = new Dice(7).of("the bus to node-1");
  expect([first, second]).toEqual([random.uuid(), random.uuid()]);
  expect(each.of("node-2").uuid()).not.toBe(new Dice(7).of("the bus to node-1").uuid());
});
