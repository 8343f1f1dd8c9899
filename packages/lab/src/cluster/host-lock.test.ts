import { spawn } from "node:child_process";
import { once } from "node:events";
import { systemClock } from "@kintsugi/clock";
import { expect, test } from "vitest";
import { withHostLock } from "./host-lock.ts";

const nameOf = (what: string) => `test-${what}-${process.pid}`;

test("one process works at a time, and the others wait", async () => {
  let working = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++working);
    await systemClock.sleep(5);
    return working--;
  };
  const done = await Promise.all(Array.from({ length: 5 }, () => withHostLock(systemClock, work, nameOf("turns"))));
  expect([done, most]).toEqual([[1, 1, 1, 1, 1], 1]);
});

test("work that fails releases the lock, and reports the reason", async () => {
  const fail = () => Promise.reject(new Error("no room"));
  await expect(withHostLock(systemClock, fail, nameOf("fails"))).rejects.toThrow("no room");
  expect(await withHostLock(systemClock, async () => "next", nameOf("fails"))).toBe("next");
});

test("a process that is killed while it holds the lock does not block others", async () => {
  const holding = `require("net").createServer().listen("\\0kintsugi/${nameOf("killed")}", () => console.log("held"))`;
  const child = spawn(process.execPath, ["-e", holding], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  let isOurs = false;
  const ours = withHostLock(systemClock, async () => (isOurs = true), nameOf("killed"));
  await systemClock.sleep(50);
  expect(isOurs).toBe(false);
  child.kill("SIGKILL");
  await ended;
  expect(await ours).toBe(true);
});
