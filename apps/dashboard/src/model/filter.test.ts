import { expect, test } from "vitest";
import type { Bar } from "@kintsugi/story";
import { shows, showAll } from "./filter.ts";

test("filters select by namespace, node, workload and trouble", () => {
  const bar = {
    namespace: "a",
    node: "n1",
    spans: [{ fromMs: 0, state: "ready", because: "" }],
    marks: [],
  } as unknown as Bar;
  const workload = { kind: "Deployment", namespace: "a", name: "web" };
  const isShown = (filter: object) => shows({ ...showAll, ...filter }, bar, () => workload);
  expect([{}, { namespace: "a" }, { node: "n1" }, { workload: "a/Deployment/web" }].map(isShown)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([{ namespace: "b" }, { node: "n2" }, { workload: "a/Job/x" }, { onlyWarnings: true }].map(isShown)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
