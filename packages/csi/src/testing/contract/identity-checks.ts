import { describe, expect, test } from "vitest";
import type { MakeSubject } from "./driver-subject.ts";

export function describeIdentityChecks(make: MakeSubject): void {
  describe("Identity", () => {
    test("the name is a domain name of at most 63 characters", async () => {
      await using subject = await make();
      const { name, vendorVersion } = await subject.driver.getPluginInfo({});
      expect(name).toMatch(/^[a-zA-Z0-9][-a-zA-Z0-9.]{0,61}[a-zA-Z0-9]$/);
      expect(vendorVersion).not.toBe("");
    });

    test("the capabilities have a controller service, and the driver is ready", async () => {
      await using subject = await make();
      const { capabilities } = await subject.driver.getPluginCapabilities({});
      expect(capabilities).toContainEqual({ service: { type: "CONTROLLER_SERVICE" } });
      expect(await subject.driver.probe({})).toEqual({ ready: { value: true } });
    });
  });
}
