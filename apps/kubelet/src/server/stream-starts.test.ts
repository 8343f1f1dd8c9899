import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { StreamStarts } from "./stream-starts.ts";

const options = { podMax: 2, startMs: 1_000 };

function startsOf() {
  const clock = new VirtualClock();
  const starts = new StreamStarts({ clock }, options);
  const started: string[] = [];
  const ask = (name: string, podUid = "a") => {
    const gone = new AbortController();
    const start = starts.wait(podUid, gone.signal);
    start.then(
      () => started.push(name),
      () => started.push(`${name} left`),
    );
    return { leave: () => gone.abort(), end: async () => (await start).over() };
  };
  return { clock, started, ask, settle: () => clock.advance(0) };
}

test("sessions of a pod start a few at a time in their order, and another pod's sessions do not wait", async () => {
  const { clock, started, ask, settle } = startsOf();
  for (const name of ["1", "2", "3", "4", "5"]) ask(name);
  ask("other", "b");
  await settle();
  expect(started).toEqual(["1", "2", "other"]);
  await clock.advance(options.startMs);
  expect(started.slice(3)).toEqual(["3", "4"]);
  await clock.advance(options.startMs);
  expect(started.slice(5)).toEqual(["5"]);
});

test("a session that has ended lets exactly one more session start immediately", async () => {
  const { clock, started, ask, settle } = startsOf();
  const first = ask("1");
  for (const name of ["2", "3", "4", "5"]) ask(name);
  await settle();
  await first.end();
  await settle();
  expect(started).toEqual(["1", "2", "3"]);
  // The time of the first session is also over, which does not free a second slot.
  await clock.advance(options.startMs - 1);
  expect(started).toEqual(["1", "2", "3"]);
  await clock.advance(1);
  expect(started).toEqual(["1", "2", "3", "4", "5"]);
});

test("a client that disconnects while it waits uses no place, before or after its turn", async () => {
  const { clock, started, ask, settle } = startsOf();
  ask("1");
  ask("2");
  const third = ask("3");
  ask("4");
  third.leave();
  await settle();
  expect(started).toEqual(["1", "2", "3 left"]);
  await clock.advance(options.startMs);
  expect(started).toEqual(["1", "2", "3 left", "4"]);
});
