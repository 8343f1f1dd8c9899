import { expect, test } from "vitest";
import { readSurvived } from "../../tools/survived.mjs";
import { afterTurn, beginEndurance, endLines, nextTurn, turnNames } from "./endurance.ts";

const commit = "ceeabe94";

test("all searches run one after the other, each with its own seeds", () => {
  let state = beginEndurance(7);
  const seen: string[] = [];
  for (let i = 0; i < 2 * turnNames.length; i++) {
    const turn = nextTurn(state, turnNames);
    seen.push(turn);
    state = afterTurn(state, { turn, seeds: 10, commit }, { counts: { [turn]: 1 }, tookMs: 1000 });
  }
  expect(seen).toEqual([...turnNames, ...turnNames]);
  expect(state).toMatchObject({ nextSeed: 127, spentMs: 12_000, commits: [commit] });
  expect(readSurvived(endLines(state).at(-1) ?? "")).toMatchObject({
    counts: { runs: 2, bugs: 2 },
    commits: [commit],
  });
});

test("a run continues from its state file, even at another commit", () => {
  const before = afterTurn(beginEndurance(1), { turn: "runs", seeds: 10, commit }, { counts: { runs: 10 }, tookMs: 5 });
  const read = JSON.parse(JSON.stringify(before)) as typeof before;
  const after = afterTurn(read, { turn: "runs", seeds: 10, commit: "b" }, { counts: { runs: 9 }, tookMs: 5 });
  expect(after).toMatchObject({ nextSeed: 21, spentMs: 10, turns: 2, commits: [commit, "b"], counts: { runs: 19 } });
});

test("a failed turn does not count, and its seed is kept", () => {
  const state = afterTurn(
    beginEndurance(3),
    { turn: "requests", seeds: 1, commit },
    { counts: { requests: 5000 }, tookMs: 5, failureFile: "endurance/requests-3.txt" },
  );
  expect(state.counts).toEqual({});
  expect(endLines(state)[0]).toBe("failed: requests, seed 3, commit ceeabe94: endurance/requests-3.txt");
});
