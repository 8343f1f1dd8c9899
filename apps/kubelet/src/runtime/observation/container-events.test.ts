import { expect, test } from "vitest";
import { containerEvents, recordAfter, type RuntimeRecord } from "./container-events.ts";

const pod = { uid: "u", name: "p", namespace: "default" };
const record = (state: RuntimeRecord["state"]): RuntimeRecord => ({ kind: "container", pod, state });
const look = (state: RuntimeRecord["state"] | undefined) => new Map(state ? [["c", record(state)]] : []);

test.each([
  [undefined, "running", ["ContainerStarted"]],
  [undefined, "exited", ["ContainerDied"]],
  [undefined, "created", []],
  ["created", "running", ["ContainerStarted"]],
  ["running", "running", []],
  ["running", "exited", ["ContainerDied"]],
  ["running", undefined, ["ContainerDied", "ContainerRemoved"]],
  ["exited", undefined, ["ContainerRemoved"]],
  ["running", "unknown", ["ContainerChanged"]],
] as const)("from %s to %s: %j", (before, after, wanted) => {
  expect(containerEvents(look(before), look(after)).map(({ type }) => type)).toEqual(wanted);
});

test.each([
  ["running", "stopped", "exited"],
  ["created", "stopped", "exited"],
  ["created", "started", "running"],
  // A late or repeated event, because an exited container never runs again under its id.
  ["exited", "started", "exited"],
  ["exited", "stopped", "exited"],
  ["running", "created", "running"],
  ["running", "deleted", undefined],
] as const)("%s, after an event of %s, is %s", (before, type, wanted) => {
  expect(recordAfter(record(before), { type, containerId: "c", atMs: 1 })?.state).toBe(wanted);
});
