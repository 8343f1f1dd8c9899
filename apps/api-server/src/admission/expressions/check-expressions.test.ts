import type { ExpressionSet } from "@kintsugi/api";
import { TurnMeter, turnWorkedMsMax } from "@kintsugi/api/testing";
import { systemClock } from "@kintsugi/clock";
import { expect, test } from "vitest";
import { checkAdmissionExpressions } from "./check-expressions.ts";
import { ExpressionTurns } from "./expression-turns.ts";

function claimOf(texts: readonly string[]): ExpressionSet {
  const expressions = texts.map((text, index) => ({
    field: `selectors[${index}]`,
    text,
    returns: ["bool", "dyn"] as const,
    authorizer: false,
    variables: false,
  }));
  return { about: "device", params: false, patches: false, variables: [], expressions };
}

const loops = (suffix: string) => `${"[1].all(x,x==1)&&".repeat(160)}${suffix}`;

test.each([
  ["different", (index: number) => loops(`${index}==${index}`)],
  ["alike", () => loops("true")],
  ["too deep", (index: number) => `${"true?true:".repeat(1000)}${index % 2 === 0}`],
])("the selectors of a claim that are %s share one limit and are compiled in short turns", async (_, text) => {
  const texts = Array.from({ length: 1024 }, (_text, index) => text(index));
  const longestMs = async () => {
    using meter = new TurnMeter();
    const turns = new ExpressionTurns({ clock: systemClock });
    using _held = await turns.hold(texts, { user: "a", signal: new AbortController().signal });
    const last = checkAdmissionExpressions(claimOf(texts)).filter(({ message }) => message.includes("together"));
    expect(last[0]?.message).toBe("Forbidden: the expressions of the object are longer than 32768 characters together");
    return meter.takeLongestMs();
  };
  // Unlike a server, the process that runs this test may not have compiled the parser yet.
  const first = await longestMs();
  expect(first > turnWorkedMsMax ? await longestMs() : first).toBeLessThan(turnWorkedMsMax);
});

test("ordinary selectors are far below the limit", () => {
  const text = (index: number) => `device.driver == "gpu.example.com" && device.attributes["gpu"].index == ${index}`;
  expect(checkAdmissionExpressions(claimOf(Array.from({ length: 128 }, (_, index) => text(index))))).toEqual([]);
});
