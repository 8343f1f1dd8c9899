import { expect, test } from "vitest";
import { appendLog, logPath } from "./log-stream.ts";

test("a log's path names its container and its instance", () => {
  expect(logPath({ namespace: "a", pod: "p", container: "c", previous: true })).toBe(
    "/api/v1/namespaces/a/pods/p/log?container=c&tailLines=500&previous=true",
  );
});

test("a log that is too long loses its oldest lines", () => {
  const line = `${"x".repeat(99)}\n`;
  const text = appendLog(line.repeat(6_000), "last\n");
  expect(text.length).toBeLessThanOrEqual(512 * 1024);
  expect(text.startsWith("x".repeat(99))).toBe(true);
  expect(text.endsWith("\nlast\n")).toBe(true);
});
