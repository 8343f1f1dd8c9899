import { setImmediate } from "node:timers";
import { isCompiled } from "@kintsugi/cel";
import { expect, test } from "vitest";
import { ExpressionTurns } from "./expression-turns.ts";

/** A clock that advances by 10 ms each time that it is read. */
function busyClock() {
  let nowMs = 0;
  const clock = {
    turns: 0,
    monotonicMs: () => (nowMs += 10),
    nextTurn: async () => {
      clock.turns++;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  return clock;
}

const signal = new AbortController().signal;
const large = (name: string) => Array.from({ length: 8 }, (_, index) => `[${"1,".repeat(250)}${index}] == ["${name}"]`);

test("other requests are served while the expressions of an object are compiled", async () => {
  const clock = busyClock();
  using _held = await new ExpressionTurns({ clock }).hold(large("a"), { user: "a", signal });
  // Each expression is compiled in two steps.
  expect(clock.turns).toBe(8);
  expect(large("a").every((text) => isCompiled(text))).toBe(true);
});

test("a small object does not wait for a large object, and a user does not wait for another user's many objects", async () => {
  const turns = new ExpressionTurns({ clock: busyClock() });
  const order: string[] = [];
  const write = async (user: string, name: string, texts: readonly string[]) => {
    using _held = await turns.hold(texts, { user, signal });
    order.push(name);
  };
  await Promise.all([
    ...["a1", "a2", "a3", "a4"].map((name) => write("a", name, large(name))),
    write("b", "b1", large("b1")),
    write("c", "small", ["1 == 7001"]),
  ]);
  expect(order).toEqual(["small", "a1", "a2", "b1", "a3", "a4"]);
});

test("expressions beyond the budget of an object are not compiled", async () => {
  const texts = Array.from({ length: 6 }, (_, index) => `"${"b".repeat(8_000)}" == "${index}"`);
  const tooLong = `"${"b".repeat(11_000)}" == ""`;
  using _held = await new ExpressionTurns({ clock: busyClock() }).hold([tooLong, ...texts], { user: "a", signal });
  expect([tooLong, ...texts].map((text) => isCompiled(text))).toEqual([false, true, true, true, true, false, false]);
});

test("a request that has ended leaves the queue, and its other expressions are not compiled", async () => {
  const turns = new ExpressionTurns({ clock: busyClock() });
  const [first, second] = [new AbortController(), new AbortController()];
  const held = turns.hold(large("first"), { user: "a", signal: first.signal });
  const waiting = turns.hold(large("second"), { user: "a", signal: second.signal });
  second.abort(new Error("gone while it waits"));
  await expect(waiting).rejects.toThrow("gone while it waits");
  first.abort(new Error("gone while it compiles"));
  await expect(held).rejects.toThrow("gone while it compiles");
  expect(isCompiled(large("first")[7] ?? "")).toBe(false);
  using _third = await turns.hold(large("third"), { user: "a", signal });
});
