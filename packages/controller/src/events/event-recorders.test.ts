import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { EventRecorders } from "./event-recorders.ts";

type Deps = ConstructorParameters<typeof EventRecorders>[0];

test("a failure because of the end of a term is not recorded as an event, and the next term records again", async () => {
  const clock = new VirtualClock();
  const messages: unknown[] = [];
  const create = async (...[, event]: Parameters<Deps["client"]["create"]>) =>
    void messages.push((event as { message?: string }).message);
  const client = { create } as unknown as Deps["client"];
  const recorders = new EventRecorders({ clock, client, random: new SeededRandom(1) });
  const stop = new AbortController();
  const ended = recorders.run(stop.signal);
  const about = { apiVersion: "batch/v1", kind: "Job", namespace: "default", name: "hello", uid: "uid-hello" };
  const record = (term: AbortSignal, message: string) =>
    recorders.during(term)("job-controller")({ about, type: "Warning", reason: "FailedCreate", message });
  const first = new AbortController();
  record(first.signal, "quota exceeded");
  first.abort(new Error("the term is over"));
  record(first.signal, "the term is over");
  record(new AbortController().signal, "quota exceeded again");
  await clock.advance(1000);
  expect(messages).toEqual(["quota exceeded", "quota exceeded again"]);
  stop.abort();
  await ended;
});
