import { profiles } from "@kintsugi/api";
import { expect, test } from "vitest";
import { differenceText, knobChoices, ownDifferenceText, settingChoices, settingValueText } from "./setting-words.ts";

const run = { scenario: "node-dead", faults: [], settings: ["profile=kubernetes"] };

test("a knob names its value as it is, which is not offered a second time", () => {
  const setting = "timers.pod-eviction-timeout";
  expect(knobChoices({ setting, label: "Pods stay for", values: ["0s", "5m"], asItIs: "5m" })).toEqual([
    ["", "as it is: 5 min"],
    ["0s", "0 s"],
  ]);
});

test.each([
  ["profile", run, "as written: default"],
  ["timers.node-monitor-grace-period", run, "as written: 50 s"],
  ["timers.node-monitor-grace-period", { ...run, settings: [] }, "as written: 40 s"],
  ["timers.pod-eviction-timeout", { ...run, settings: ["profile=fast"] }, "as written: 5 s"],
  ["timers.pod-eviction-timeout", { ...run, settings: ["profile=constructor"] }, "as written"],
])("the setting %s of %o names the value that applies without a change", (setting, request, words) => {
  expect(settingChoices(setting, [], { run: request, profile: "default" })[0]).toEqual(["", words]);
});

test("a setting does not name a value before the scenario is known", () => {
  expect(settingChoices("profile", ["fast"], { run, profile: undefined })).toEqual([
    ["", "as written"],
    ["fast", "fast"],
  ]);
});

test("only timers are lengths of time, and other values keep their form", () => {
  expect(settingValueText("timers.pod-eviction-timeout", "1m30s")).toBe("1 min 30 s");
  expect(settingValueText("timers.pod-eviction-timeout", "soon")).toBe("soon");
  expect(settingValueText("workloads.web.cpu", "1500m")).toBe("1500m");
});

const recording = { profile: "default" } as const;

test.each([
  ["profile=fast", "with fast timers", "with Kubernetes' timers"],
  ["profile=slow", "with the timers slow", "with Kubernetes' timers"],
  ["timers.node-monitor-grace-period=20s", "with 20 s of silence allowed", "with 40 s of silence allowed"],
  [
    "timers.pod-eviction-timeout=0s",
    "with pods that stay for 0 s on a silent node",
    "with pods that stay for 5 min on a silent node",
  ],
  ["workloads.web.spread=zone", "with a spread constraint of web over zones", "without a spread constraint of web"],
  ["workloads.web.replicas=8", "with 8 replicas of web", "with the replicas of web as written"],
  ["nodes=5", "with 5 nodes", "with the nodes as written"],
  [
    "timers.crash-loop-max-delay=30s",
    "with the crash loop max delay at 30 s",
    "with the crash loop max delay as written",
  ],
  ["workloads.web.cpu=900m", "with the cpu of web at 900m", "with the cpu of web as written"],
])("the runs that differ in %s are named in words", (setting, rival, own) => {
  expect(differenceText(setting)).toBe(rival);
  expect(ownDifferenceText(setting, { request: run, recording })).toBe(own);
});

test("a run is named by its own timers, wherever they come from", () => {
  const request = { ...run, settings: [] };
  expect(ownDifferenceText("profile=fast", { request, recording })).toBe("with Kintsugi's default timers");
  const timers = { ...profiles.kubernetes, nodeMonitorGracePeriodMs: 90_000 };
  expect(
    ownDifferenceText("timers.node-monitor-grace-period=20s", { request, recording: { ...recording, timers } }),
  ).toBe("with 1 min 30 s of silence allowed");
});
