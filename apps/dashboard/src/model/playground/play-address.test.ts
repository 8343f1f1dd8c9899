import { expect, test } from "vitest";
import { readPlayAddress, settingOf, withSetting, writePlayAddress } from "./play-address.ts";

const request = {
  scenario: "zone-lost",
  faults: [
    { fault: "kill-node", node: "a-1", atMs: 90_000 },
    { fault: "cut-node", node: "a-2", atMs: 5, forMs: 120_000 },
  ],
  settings: ["profile=fast", "timers.node-monitor-grace-period=20s"],
};

test("a request is restored from its address", () => {
  expect(readPlayAddress(writePlayAddress(request))).toEqual(request);
});

test("an empty address selects the first scenario, and invalid parts are omitted", () => {
  expect(readPlayAddress("")).toEqual({ scenario: "node-dead", faults: [], settings: [] });
  const wrong = [
    "fault=kill-node",
    "fault=toString,a-1,5",
    "fault=kill-node,a-1,",
    "fault=kill-node,a-1,soon",
    "fault=kill-node,a-1,-5",
    "fault=cut-node,A b,5",
    "set=profile",
    "set=a=b,c=d",
  ].join("&");
  expect(readPlayAddress(`#scenario=x&${wrong}`)).toEqual({ scenario: "x", faults: [], settings: [] });
});

test("a setting replaces itself and can be undone", () => {
  const changed = withSetting(request, "profile", "kubernetes");
  expect(settingOf(changed, "profile")).toBe("kubernetes");
  expect(changed.settings.length).toBe(2);
  expect(settingOf(withSetting(changed, "profile", undefined), "profile")).toBeUndefined();
});
