import { expect, test } from "vitest";
import { listText, labStateOf } from "./list.ts";

test.each([
  [{ settled: true }, true, "running"],
  [{ settled: false }, true, "starting"],
  [undefined, true, "without supervisor"],
  [undefined, false, "stopped"],
] as const)("supervisor %j and run directory %s are a cluster that is %s", (supervisor, hasRunDirectory, state) => {
  expect(labStateOf(supervisor, { hasRunDirectory })).toBe(state);
});

test("the list marks the cluster that commands without --name select", () => {
  const lines = listText([
    { name: "a", state: "running", nodes: 3, api: "https://127.0.0.1:6443", context: "kintsugi-a", isDefault: false },
    { name: "lab", state: "stopped", nodes: 1, api: "https://127.0.0.1:6444", context: null, isDefault: true },
  ]);
  expect(lines).toEqual([
    "    NAME   STATE     NODES   API                      CONTEXT",
    "    a      running   3       https://127.0.0.1:6443   kintsugi-a",
    "*   lab    stopped   1       https://127.0.0.1:6444   -",
  ]);
});
