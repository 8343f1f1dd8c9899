import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { checkConfigKey } from "../../../values/names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { defineKind, type KindDefinition } from "../../define-kind.ts";
import { sameInVersion } from "../../same-in-version.ts";
import { leaseCandidates, leaseCandidatesV1alpha2 } from "./lease-candidate-type.ts";
import { LeaseCandidate, LeaseCandidateV1alpha2 } from "./lease-candidate.ts";

const common: Omit<KindDefinition<LeaseCandidate>, "type" | "schema" | "view"> = {
  validation: {
    checkName: checkConfigKey,
    validate,
    update: (after, before, faults) =>
      faults.immutable("spec.leaseName", after.spec.leaseName, after.spec.leaseName === before.spec.leaseName),
  },
  strategy: { conditionalUpdateOnly: true },
  table: {
    columns: [
      nameColumn,
      column("LeaseName", "Name of the Lease that the candidate applies for."),
      column("BinaryVersion", "Version of the candidate's program."),
      column("EmulationVersion", "Version that the candidate emulates."),
      ageColumn,
    ],
    cells: (candidate, nowMs) => [
      candidate.metadata.name ?? "",
      candidate.spec.leaseName,
      candidate.spec.binaryVersion,
      candidate.spec.emulationVersion ?? "",
      formatAge(candidate, nowMs),
    ],
  },
};

export const leaseCandidateKind = defineKind<LeaseCandidate>({
  ...common,
  type: leaseCandidates,
  schema: LeaseCandidate,
});

/** The same objects for clients of 1.32. */
export const leaseCandidateV1alpha2Kind = defineKind<LeaseCandidate>({
  ...common,
  type: leaseCandidatesV1alpha2,
  schema: LeaseCandidateV1alpha2,
  view: sameInVersion(leaseCandidatesV1alpha2, leaseCandidates),
});

/** The rules and messages follow pkg/apis/coordination/validation. */
function validate({ spec }: LeaseCandidate, faults: Faults): void {
  const { leaseName, strategy, binaryVersion, emulationVersion = "" } = spec;
  if (leaseName === "") faults.required("spec.leaseName");
  if (binaryVersion === "") faults.required("spec.binaryVersion");
  const [binary, emulated] = [versionOf(binaryVersion), versionOf(emulationVersion)];
  const words = "must be a valid semantic version";
  if (emulationVersion !== "" && emulated === undefined) {
    faults.invalid("spec.emulationVersion", emulationVersion, words);
  }
  if (binaryVersion !== "" && binary === undefined) faults.invalid("spec.binaryVersion", binaryVersion, words);
  if (binary !== undefined && emulated !== undefined && isBefore(binary, emulated)) {
    faults.invalid("spec.binaryVersion", binaryVersion, "must be greater than or equal to `emulationVersion`");
  }
  if (strategy === "") faults.required("spec.strategy");
  else if (strategy !== "OldestEmulationVersion" && !strategy.includes("/")) {
    faults.notSupported("spec.strategy", strategy, ["OldestEmulationVersion"]);
  } else if (strategy === "OldestEmulationVersion" && emulationVersion === "") {
    faults.required("spec.emulationVersion", "must be specified when `strategy` is 'OldestEmulationVersion'");
  }
}

/** The numbers of a semantic version, without pre-release and build. */
function versionOf(text: string): readonly number[] | undefined {
  const match = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:[-+][0-9A-Za-z.+-]{1,200})?$/.exec(text);
  return match?.slice(1).map(Number);
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}
