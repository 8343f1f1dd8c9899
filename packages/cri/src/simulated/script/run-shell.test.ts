import { VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import type { FakeProcess, ProcessWorld } from "./process.ts";
import { runShell } from "./run-shell.ts";

/**
 * A script running as the first process of a container, its output, and a way to wait for its end.
 */
function run(source: string, options = { firstInNamespace: true }) {
  const clock = new VirtualClock({ startMs: 0 });
  const output: string[] = [];
  const killed = new AbortController();
  const world: ProcessWorld = {
    files: new Map(),
    write: (stream, text) => output.push(`${stream}: ${text}`),
    exhaustMemory: () => killed.abort(),
    sleep: (durationMs) =>
      Number.isFinite(durationMs)
        ? clock.sleep(durationMs, killed.signal).catch(() => {})
        : new Promise((resolve) => killed.signal.addEventListener("abort", () => resolve())),
    get killed() {
      return killed.signal.aborted;
    },
  };
  const process: FakeProcess = runShell(source, world, options);
  let ended: { status: number; atMs: number } | undefined;
  void process.exited.then((status) => (ended = { status, atMs: clock.nowMs() }));
  return { clock, output, process, world, ended: () => ended };
}

describe("a script of the fake runtime", () => {
  test.each([
    ["exit 3", 3, 0],
    ["sleep 2; exit 3", 3, 2000],
    ["sleep 1.5 && true || exit 4", 0, 1500],
    ["false && exit 1; exit 5", 5, 0],
    ["false || sleep 300ms; exit 0", 0, 300],
    ["sh -c 'sleep 1; exit 7'; sleep 1", 0, 2000],
    ["sh -c 'exit 7'", 7, 0],
    ["exec sleep 1; exit 9", 0, 1000],
    ["sleep 5 & sleep 1", 0, 1000],
    ["sleep 2 & wait; exit 6", 6, 2000],
    ["test -f /ready || touch /ready; [ -f /ready ] && exit 8", 8, 0],
    ["echo x > /f; echo y >> /f; cat /f; exit 2", 2, 0],
    ["", 0, 0],
    ["sleep soon", 1, 0],
  ])("%j ends with %i after %i ms", async (source, status, atMs) => {
    const script = run(source);
    await script.clock.advance(10_000);
    expect(script.ended()).toEqual({ status, atMs });
  });

  test("writes to both streams, and reports an unknown program", async () => {
    const script = run("echo out; echo err >&2; cat /none; nginx -g x; echo 'a  b'");
    await script.clock.settle();
    expect(script.output).toEqual([
      "stdout: out\n",
      "stderr: err\n",
      "stderr: cat: can't open '/none': No such file or directory\n",
      "stderr: sh: nginx: not found\n",
      "stdout: a  b\n",
    ]);
  });

  test("loops until it is killed", async () => {
    const script = run("while true; do echo tick; sleep 1; done");
    await script.clock.advance(2500);
    script.world.exhaustMemory();
    await script.clock.advance(60_000);
    expect([script.output.length, script.ended()]).toEqual([3, undefined]);
  });

  test.each([
    ["sleep 100", true, undefined],
    ["sleep 100", false, { status: 143, atMs: 1000 }],
    ["trap '' TERM; sleep 100", false, undefined],
    // A shell runs its trap between two commands, or immediately while it waits.
    ["trap 'exit 4' TERM; while true; do sleep 3; done", true, { status: 4, atMs: 3000 }],
    ["trap 'exit 4' TERM; sleep 100 & wait", true, { status: 4, atMs: 1000 }],
  ])("SIGTERM to %j (first in its namespace: %s)", async (source, firstInNamespace, ended) => {
    const script = run(source, { firstInNamespace });
    await script.clock.advance(1000);
    script.process.terminate();
    await script.clock.advance(50_000);
    expect(script.ended()).toEqual(ended);
  });

  test.each(["echo $HOME", 'echo "$HOME"', "ls | wc", "while false; do true; done", "&& true", "echo >", "$(true)"])(
    "an unsupported construct is an error, not a guess: %j",
    async (source) => {
      const script = run(source);
      await script.clock.settle();
      expect(script.ended()?.status).toBe(2);
      expect(script.output[0]).toMatch(/^stderr: sh: syntax error: /);
    },
  );
});
