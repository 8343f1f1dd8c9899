import { describe, expect, test } from "vitest";
import { formatTimestamp, parseTimestamp } from "../../../../values/timestamp.ts";
import { parseSchedule } from "./cron-schedule.ts";
import { findTimeZone, utc } from "./time-zone.ts";

function scheduleOf(text: string, zoneName?: string) {
  const zone = zoneName === undefined ? utc : findTimeZone(zoneName);
  if (zone === undefined) throw new Error(`no zone ${zoneName}`);
  const schedule = parseSchedule(text, zone);
  if ("problem" in schedule) throw new Error(schedule.problem);
  return schedule;
}

function timesOf(text: string, after: string, { zone, count = 3 }: { zone?: string; count?: number } = {}) {
  const schedule = scheduleOf(text, zone);
  const times: (string | undefined)[] = [];
  let atMs: number | undefined = parseTimestamp(after);
  while (times.length < count && atMs !== undefined) {
    atMs = schedule.next(atMs);
    times.push(atMs === undefined ? undefined : formatTimestamp(atMs).replace(":00Z", ""));
  }
  return times;
}

describe("the next times", () => {
  test.each<[string, string, (string | undefined)[]]>([
    ["* * * * *", "2024-01-01T00:00:30Z", ["2024-01-01T00:01", "2024-01-01T00:02", "2024-01-01T00:03"]],
    ["0 4 * * *", "2024-01-01T04:00:00Z", ["2024-01-02T04:00", "2024-01-03T04:00", "2024-01-04T04:00"]],
    ["5/20 0 * * *", "2024-01-01T00:00:00Z", ["2024-01-01T00:05", "2024-01-01T00:25", "2024-01-01T00:45"]],
    ["*/40 0-1 * * *", "2024-01-01T00:00:00Z", ["2024-01-01T00:40", "2024-01-01T01:00", "2024-01-01T01:40"]],
    ["0 0 ? jan,MAR *", "2024-01-31T00:00:00Z", ["2024-03-01T00:00", "2024-03-02T00:00", "2024-03-03T00:00"]],
    ["30 6-16/4 * * mon-fri", "2024-01-05T11:00:00Z", ["2024-01-05T14:30", "2024-01-08T06:30", "2024-01-08T10:30"]],
    // If both kinds of days are restricted, either kind suffices.
    ["0 0 13 * 5", "2024-09-01T00:00:00Z", ["2024-09-06T00:00", "2024-09-13T00:00", "2024-09-20T00:00"]],
    ["0 0 */10 * 1", "2024-09-01T00:00:00Z", ["2024-09-02T00:00", "2024-09-09T00:00", "2024-09-11T00:00"]],
    // A star with the step 1 restricts nothing.
    ["0 0 */1 * 1", "2024-09-01T00:00:00Z", ["2024-09-02T00:00", "2024-09-09T00:00", "2024-09-16T00:00"]],
    ["0 0 29 2 *", "2024-03-01T00:00:00Z", ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]],
    ["0 0 31 2 *", "2024-03-01T00:00:00Z", [undefined]],
    [", 0 * * *", "2024-03-01T00:00:00Z", [undefined]],
    ["@yearly", "2024-03-01T00:00:00Z", ["2025-01-01T00:00", "2026-01-01T00:00", "2027-01-01T00:00"]],
    ["@weekly", "2024-03-01T00:00:00Z", ["2024-03-03T00:00", "2024-03-10T00:00", "2024-03-17T00:00"]],
    ["@hourly", "2024-03-01T00:30:00Z", ["2024-03-01T01:00", "2024-03-01T02:00", "2024-03-01T03:00"]],
    ["@every 1h30m", "2024-03-01T00:00:00Z", ["2024-03-01T01:30", "2024-03-01T03:00", "2024-03-01T04:30"]],
    ["@every -5s", "2024-03-01T00:00:59.5Z", ["2024-03-01T00:01", "2024-03-01T00:01:01Z", "2024-03-01T00:01:02Z"]],
  ])("of %s", (text, after, times) => {
    expect(timesOf(text, after)).toEqual(times);
  });

  test("are those of the zone's clock", () => {
    const inKolkata = timesOf("0 4 * * *", "2024-01-01T00:00:00Z", { zone: "Asia/Kolkata", count: 1 });
    expect(inKolkata).toEqual(["2024-01-01T22:30"]);
    const inKiribati = timesOf("0 0 1 * *", "2024-01-31T09:00:00Z", { zone: "Pacific/Kiritimati", count: 1 });
    expect(inKiribati).toEqual(["2024-01-31T10:00"]);
  });

  test.each<[string, string, string, string[]]>([
    [
      "skip a time that the clock skips",
      "30 2 * * *",
      "2024-03-09T12:00:00Z",
      ["2024-03-11T06:30", "2024-03-12T06:30"],
    ],
    [
      "continue through the skipped hour",
      "30 * * * *",
      "2024-03-10T06:00:00Z",
      ["2024-03-10T06:30", "2024-03-10T07:30"],
    ],
    [
      "occur twice if the clock shows them twice",
      "30 1 * * *",
      "2024-11-03T00:00:00Z",
      ["2024-11-03T05:30", "2024-11-03T06:30"],
    ],
    ["follow the clock afterwards", "30 1 * * *", "2024-11-03T06:30:00Z", ["2024-11-04T06:30", "2024-11-05T06:30"]],
  ])("%s", (_what, text, after, times) => {
    expect(timesOf(text, after, { zone: "America/New_York", count: 2 })).toEqual(times);
  });
});

describe("the last time in an interval", () => {
  test.each<[string, string, string, string | undefined]>([
    ["0 4 * * *", "2024-01-01T04:00:00Z", "2024-01-02T03:59:59Z", undefined],
    ["0 4 * * *", "2024-01-01T04:00:00Z", "2024-01-02T04:00:00Z", "2024-01-02T04:00"],
    ["* * * 1 *", "2001-01-01T00:00:00Z", "2024-12-31T00:00:00Z", "2024-01-31T23:59"],
    ["0 0 29 2 *", "2001-01-01T00:00:00Z", "2027-12-31T00:00:00Z", "2024-02-29T00:00"],
    ["0 0 31 2 *", "2001-01-01T00:00:00Z", "2027-12-31T00:00:00Z", undefined],
    ["@every 7m", "2024-01-01T00:00:00Z", "2024-01-01T00:20:59Z", "2024-01-01T00:14"],
    ["@every 7m", "2024-01-01T00:00:00Z", "2024-01-01T00:06:59Z", undefined],
  ])("of %s, after %s until %s", (text, after, until, expected) => {
    const found = scheduleOf(text).latest(parseTimestamp(after), parseTimestamp(until));
    expect(found === undefined ? undefined : formatTimestamp(found).slice(0, 16)).toBe(expected);
  });

  test("is the last step of a walk through all times", () => {
    const schedule = scheduleOf("7,50 */5 1,15 * 2", "America/New_York");
    const startMs = parseTimestamp("2024-10-20T00:00:00Z");
    for (let hours = 0; hours < 24 * 40; hours += 5) {
      const untilMs = startMs + hours * 3_600_000;
      let last: number | undefined;
      for (let t = schedule.next(startMs); t !== undefined && t <= untilMs; t = schedule.next(t)) last = t;
      expect(schedule.latest(startMs, untilMs)).toBe(last);
    }
  });
});

test.each<[string, string]>([
  ["", "empty spec string"],
  ["* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["* * * * 7", "end of range (7) above maximum (6): 7"],
  ["* * * * fri-mon", "beginning of range (5) beyond end of range (1): fri-mon"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["*/2/3 * * * *", "too many slashes: */2/3"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["* * L * *", 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
  ["* * * * 1#2", 'failed to parse int from 1#2: strconv.Atoi: parsing "1#2": invalid syntax'],
  ["1.5 * * * *", 'failed to parse int from 1.5: strconv.Atoi: parsing "1.5": invalid syntax'],
  ["-1 * * * *", 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ["@noon", "unrecognized descriptor: @noon"],
  ["@every", "unrecognized descriptor: @every"],
  ["@constructor", "unrecognized descriptor: @constructor"],
  ["@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'],
  ["@every 5d", 'failed to parse duration @every 5d: time: unknown unit "d" in duration "5d"'],
  ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
  ["@every 9999999h", 'failed to parse duration @every 9999999h: time: invalid duration "9999999h"'],
])("an invalid schedule: %j", (text, problem) => {
  expect(parseSchedule(text, utc)).toEqual({ problem });
});
