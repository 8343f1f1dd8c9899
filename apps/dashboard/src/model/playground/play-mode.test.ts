import { lessons, requestOf } from "@kintsugi/story";
import { expect, test } from "vitest";
import { readPlayAddress, writePlayAddress } from "./play-address.ts";
import { readMode } from "./play-mode.ts";

const request = readPlayAddress("#scenario=zone-lost&set=profile%3Dfast");

test("the address of a race names its opponent, and the address of a game its seed alone", () => {
  const race = writePlayAddress(request, { rival: ["profile=kubernetes"] });
  expect(readMode(race)).toEqual({ mode: "race", rival: ["profile=kubernetes"] });
  expect(readPlayAddress(race)).toEqual(request);
  expect(writePlayAddress(request, { seed: 7 })).toBe("#survive=7");
  expect(readMode("#survive=7&kubectl=90000%2Cget+pods")).toEqual({ mode: "survive", seed: 7 });
});

test("the run of a lesson belongs to the campaign, and every other run belongs to the sandbox", () => {
  const run = lessons.map(requestOf).find((each) => each !== undefined) ?? request;
  expect(readMode(writePlayAddress(run)).mode).toBe("campaign");
  expect(readMode("").mode).toBe("campaign");
  expect(readMode(writePlayAddress(request)).mode).toBe("sandbox");
  expect(readMode("#lesson=rehearse-nodes").lesson?.id).toBe("rehearse-nodes");
});

test.each(["#lesson=constructor", "#survive=-1", "#survive=99999999", "#rival=", "#rival=a%3Db%2Cc%3Dd"])(
  "%s does not name a mode",
  (hash) => {
    expect(readMode(hash)).toEqual({ mode: "sandbox" });
  },
);

test("a race has few differences, however many an address names", () => {
  const many = Array.from({ length: 50 }, (_, index) => `rival=a${index}%3D1`).join("&");
  expect(readMode(`#${many}`).rival?.length).toBe(5);
});
