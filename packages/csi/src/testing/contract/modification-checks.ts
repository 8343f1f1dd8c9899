import { describe, expect, test } from "vitest";
import type { CsiDriver } from "../../csi-driver.ts";
import type { MakeSubject } from "./driver-subject.ts";
import { aVolumeRequest, createdVolume, expectRefusal, unknownId } from "./requests.ts";

/** Returns the attributes that the driver lists for its only volume. */
async function attributesOf(driver: CsiDriver): Promise<unknown> {
  const { entries } = await driver.listVolumes({ maxEntries: 0, startingToken: "" });
  return entries[0]?.volume?.volumeContext;
}

export function describeModificationChecks(make: MakeSubject): void {
  describe("ControllerModifyVolume", () => {
    test("the driver states that it modifies volumes", async () => {
      await using subject = await make();
      const { capabilities } = await subject.driver.controllerGetCapabilities({});
      expect(capabilities).toContainEqual({ rpc: { type: "MODIFY_VOLUME" } });
    });

    test("the request needs a volume that exists", async () => {
      await using subject = await make();
      const { driver } = subject;
      const mutableParameters = { tier: "gold" };
      await expectRefusal(driver.controllerModifyVolume({ volumeId: "", mutableParameters }), "INVALID_ARGUMENT");
      await expectRefusal(driver.controllerModifyVolume({ volumeId: unknownId, mutableParameters }), "NOT_FOUND");
    });

    test.each([
      ["of an unknown name", { unheard: "of" }],
      ["that only an object's prototype has", { constructor: "x" }],
      ["with a value out of range", { latencyMs: "10001" }],
      ["with a value that is not a number", { latencyMs: "-1" }],
      ["next to a valid parameter", { tier: "gold", latencyMs: "slow" }],
    ])("a parameter %s is refused, and changes nothing", async (_, mutableParameters) => {
      await using subject = await make();
      const { driver } = subject;
      const { volumeId } = await createdVolume(driver, "data", { mutableParameters: { tier: "silver" } });
      await expectRefusal(driver.controllerModifyVolume({ volumeId, mutableParameters }), "INVALID_ARGUMENT");
      const made = driver.createVolume(aVolumeRequest("other", { mutableParameters }));
      await expectRefusal(made, "INVALID_ARGUMENT");
      expect(await attributesOf(driver)).toEqual({ tier: "silver" });
    });

    test("a volume has its initial attributes until others are set, and keeps attributes that are not named", async () => {
      await using subject = await make();
      const { driver } = subject;
      const mutableParameters = { tier: "silver", latencyMs: "1" };
      const { volumeId } = await createdVolume(driver, "data", { mutableParameters });
      expect(await attributesOf(driver)).toEqual(mutableParameters);
      for (let times = 0; times < 2; times++)
        await driver.controllerModifyVolume({ volumeId, mutableParameters: { tier: "gold" } });
      expect(await attributesOf(driver)).toEqual({ tier: "gold", latencyMs: "1" });
    });

    test("a repeated creation has the attributes of its last request", async () => {
      await using subject = await make();
      const { driver } = subject;
      const first = await createdVolume(driver, "data", { mutableParameters: { tier: "silver" } });
      const again = await createdVolume(driver, "data", { mutableParameters: { tier: "gold" } });
      expect(again.volumeId).toBe(first.volumeId);
      expect(await attributesOf(driver)).toEqual({ tier: "gold" });
    });
  });
}
