import type { Pod } from "@kintsugi/api";
import { expect, test } from "vitest";
import { containerOf } from "./running-container.ts";

const podOf = (...names: string[]): Pod =>
  ({ metadata: { name: "web" }, spec: { containers: names.map((name) => ({ name })) } }) as Pod;

test("the only container of a pod is selected without its name, and a named container is selected by its name", () => {
  expect(containerOf(podOf("main"), undefined)).toBe("main");
  expect(containerOf(podOf("main", "side"), "side")).toBe("side");
});

test("a missing or wrong choice is reported with the valid names", () => {
  expect(() => containerOf(podOf("main", "side"), undefined)).toThrow(
    "pod web has several containers; --container chooses main, side",
  );
  expect(() => containerOf(podOf("main"), "mian")).toThrow('pod web has no container "mian"; it has main');
});
