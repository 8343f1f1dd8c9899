import { expect, test } from "vitest";
import { findCrashing } from "./crash-watch.ts";

const running = { id: "api-server", pid: 7, restarts: 0 };

test("a process is no longer restarted after its third crash", () => {
  expect(findCrashing([{ ...running, restarts: 2 }], [])).toBeUndefined();
  expect(findCrashing([{ ...running, restarts: 1, pid: undefined }], [])).toBeUndefined();
  expect(findCrashing([{ ...running, restarts: 2, pid: undefined }], [])).toBe("api-server");
  expect(findCrashing([{ ...running, restarts: 3 }], [])).toBe("api-server");
});

test("exits before the watch do not count", () => {
  const before = [{ ...running, restarts: 5 }];
  expect(findCrashing([{ ...running, restarts: 6 }], before)).toBeUndefined();
  expect(findCrashing([{ ...running, restarts: 8 }], before)).toBe("api-server");
});
