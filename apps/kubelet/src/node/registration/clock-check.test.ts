import { formatTimestamp, type Logger, silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { ClockCheck } from "./clock-check.ts";

test("a clock that drifts from the API server's is reported when the drift begins, each hour while it lasts, and when it ends", async () => {
  const clock = new VirtualClock();
  const said: string[] = [];
  const logged: string[] = [];
  const log: Logger = { ...silentLogger, info: (phrase) => logged.push(phrase), warn: (phrase) => logged.push(phrase) };
  const events = {
    record: (_about: unknown, { reason, message }: { reason: string; message: string }) =>
      said.push(`${reason}: ${message}`),
  };
  const check = new ClockCheck({ clock, log, events }, { nodeName: "node-1" });
  /** Passes the check an answer of a server whose clock is behind by `behindMs`. */
  const notice = (behindMs: number) => check.notice(httpDate(clock.nowMs() - behindMs));

  notice(59_000);
  notice(-59_000);
  check.notice(undefined);
  check.notice("soon");
  expect(said).toEqual([]);
  notice(300_000);
  expect(said.splice(0)).toEqual([
    expect.stringMatching(/^ClockSkewed: the node's clock is 30[01] s ahead of the API server's clock: .*timedatectl/),
  ]);
  await clock.advance(3_599_000);
  notice(300_000);
  expect(said).toEqual([]);
  await clock.advance(1_000);
  notice(-90_000);
  expect(said.splice(0)).toEqual([expect.stringMatching(/^ClockSkewed: the node's clock is (89|90) s behind/)]);
  notice(0);
  notice(120_000);
  expect(said).toHaveLength(1);
  expect(logged).toEqual([
    "clock differs from the API server's clock",
    "clock differs from the API server's clock",
    "clock matches the API server's clock again",
    "clock differs from the API server's clock",
  ]);
});

function httpDate(ms: number): string {
  const [year, month, day, time] = formatTimestamp(ms).split(/[-TZ]/);
  const name = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")[Number(month) - 1];
  return `Sun, ${day} ${name} ${year} ${time} GMT`;
}
