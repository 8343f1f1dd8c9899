import { execFile } from "node:child_process";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { meterEventLoop } from "./meter-event-loop.ts";
import { createMetrics } from "./metrics.ts";

function block(forMs: number): void {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs);
}

let isOver = false;
afterEach(async () => {
  isOver = true;
  await nextTurn();
  await nextTurn();
  isOver = false;
});

/** The turns from now until the end of the test. */
function turnsFromNow(): number[] {
  const turns: number[] = [];
  meterEventLoop((seconds) => {
    turns.push(seconds);
    return !isOver;
  });
  return turns;
}

test("a turn that blocks the loop is observed with its whole time, and waiting is not", async () => {
  const turns = turnsFromNow();
  await nextTurn();
  await nextTurn();
  turns.length = 0;
  const startedMs = performance.now();
  await sleep(1_500);
  const waitedMs = performance.now() - startedMs;
  expect(waitedMs).toBeGreaterThan(1_400);
  await nextTurn();
  // A busy machine takes the processor from this process too, but only for part of the time.
  expect(turns.reduce((sum, seconds) => sum + seconds, 0)).toBeLessThan(waitedMs / 2_000);
  turns.length = 0;
  block(120);
  await nextTurn();
  await nextTurn();
  expect(Math.max(...turns)).toBeGreaterThanOrEqual(0.119);
});

test("work that yields to the loop is observed by its turns", async () => {
  const turns = turnsFromNow();
  await nextTurn();
  for (let i = 0; i < 5; i++) {
    block(20);
    await nextTurn();
  }
  await nextTurn();
  expect(turns.filter((seconds) => seconds >= 0.019).length).toBeGreaterThanOrEqual(5);
});

test("a meter ends when its observer returns false", async () => {
  let turns = 0;
  meterEventLoop(() => ++turns < 3);
  for (let i = 0; i < 10; i++) await nextTurn();
  expect(turns).toBe(3);
});

test("every registry shows the duration of turns", async () => {
  const metrics = createMetrics();
  await nextTurn();
  block(300);
  await nextTurn();
  await nextTurn();
  const lines = (await metrics.exposition()).split("\n");
  const valueOf = (series: string) => Number(lines.find((line) => line.startsWith(`${series} `))?.split(" ")[1]);
  const name = "kintsugi_event_loop_blocked_seconds";
  expect(valueOf(`${name}_count`) - valueOf(`${name}_bucket{le="0.25"}`)).toBeGreaterThanOrEqual(1);
  expect(valueOf(`${name}_sum`)).toBeGreaterThanOrEqual(0.3);
});

/**
 * Waits five times for 800 ms with one timer each and does nothing else, and prints the smallest
 * number of turns during one wait. V8 marks its memory in small steps after the start, by turns of
 * the loop, which on a busy machine takes longer than one of these waits.
 */
const idleProgram = `
  import { performance } from "node:perf_hooks";
  import { createMetrics } from ${JSON.stringify(new URL("metrics.ts", import.meta.url).href)};
  createMetrics();
  const { nodeTiming } = performance;
  let least = Infinity;
  const watch = (times) => {
    if (times === 0) return console.log(least);
    const before = nodeTiming.uvMetricsInfo.loopCount;
    setTimeout(() => {
      least = Math.min(least, nodeTiming.uvMetricsInfo.loopCount - before);
      watch(times - 1);
    }, 800);
  };
  setTimeout(() => watch(5), 200);
`;

test("an idle process is not woken, and exits by itself", async () => {
  const flags = ["--conditions", "@kintsugi/source", "--import", "tsx", "--input-type", "module"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, "--eval", idleProgram]);
  // The two turns around the wait belong to the timer.
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThanOrEqual(3);
}, 30_000);
