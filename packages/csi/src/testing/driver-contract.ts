import { describe } from "vitest";
import { describeControllerChecks } from "./contract/controller-checks.ts";
import type { MakeSubject } from "./contract/driver-subject.ts";
import { describeIdentityChecks } from "./contract/identity-checks.ts";
import { describeModificationChecks } from "./contract/modification-checks.ts";
import { describeNodeChecks } from "./contract/node-checks.ts";
import { describeSnapshotChecks } from "./contract/snapshot-checks.ts";

export type { DriverSubject } from "./contract/driver-subject.ts";

/**
 * The checks of the CSI specification, which every driver here passes; csi-sanity has the same
 * list.
 */
export function describeDriverContract(name: string, make: MakeSubject): void {
  describe(`${name} keeps the CSI contract`, () => {
    describeIdentityChecks(make);
    describeControllerChecks(make);
    describeSnapshotChecks(make);
    describeModificationChecks(make);
    describeNodeChecks(make);
  });
}
