import { expect, test } from "vitest";
import { crashLoopBackoffMs, crashLoopMessage } from "./crash-loop-message.ts";

const of = { container: "c", pod: "p_default(u)" };

test.each([
  ["10s", 10_000],
  ["5m0s", 300_000],
  ["1.5s", 1500],
])("the delay %s is parsed from its message", (text, delayMs) => {
  expect(crashLoopBackoffMs(crashLoopMessage(of, text))).toBe(delayMs);
});

test.each([
  "",
  "Back-off pulling image",
  "back-off soon restarting failed container=c pod=p",
  `back-off ${"9".repeat(50)}s restarting failed container=c`,
])("no delay is parsed from %j", (text) => expect(crashLoopBackoffMs(text)).toBeUndefined());
