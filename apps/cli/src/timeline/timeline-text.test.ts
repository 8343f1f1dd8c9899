import type { TimelineLine } from "@kintsugi/api";
import { expect, test } from "vitest";
import { timelineText } from "./timeline-command.ts";

const line: TimelineLine = {
  timeMs: 0,
  exactToMs: true,
  sinceFirstMs: 0,
  object: "pod/web",
  what: "bound",
  detail: "node-1",
};

test("the table has a server column only if there are several servers", () => {
  expect(timelineText([line])[0]).toMatch(/^TIME +SINCE +OBJECT +WHAT +DETAIL$/);
  const [head, first, second] = timelineText([{ ...line, server: "server-2" }, line]);
  expect(head).toMatch(/^TIME +SINCE +OBJECT +SERVER +WHAT +DETAIL$/);
  expect(first).toMatch(/pod\/web +server-2 +bound +node-1/);
  expect(second).toMatch(/pod\/web +bound +node-1/);
});
