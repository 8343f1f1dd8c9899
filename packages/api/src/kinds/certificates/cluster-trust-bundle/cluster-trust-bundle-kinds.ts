import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { formatAge } from "../../../table/cells.ts";
import { checkPathSegment, checkSubdomain1123 } from "../../../values/names.ts";
import { type ValidationIssue, Faults } from "../../../validation/faults.ts";
import { validateDomainPath } from "../../../validation/domain-path.ts";
import { utf8Length } from "../../../validation/labels.ts";
import { defineKind, type KindDefinition } from "../../define-kind.ts";
import type { PrepareContext } from "../../kind-strategy.ts";
import { sameInVersion } from "../../same-in-version.ts";
import { clusterTrustBundles, clusterTrustBundlesV1alpha1 } from "./cluster-trust-bundle-type.ts";
import { ClusterTrustBundle, ClusterTrustBundleV1alpha1 } from "./cluster-trust-bundle.ts";

const bundleLengthMax = 1024 * 1024;

// The rules and messages follow pkg/apis/certificates/validation.
const common: Omit<KindDefinition<ClusterTrustBundle>, "type" | "schema" | "view"> = {
  validation: {
    // The whole rule needs the signer and is part of `validate`. Every name must be valid as a part
    // of a path.
    checkName: (name) => [...checkPathSegment(name), ...checkSubdomain1123(name.split(":").at(-1) ?? "")],
    validate: ({ metadata, spec }, faults) => {
      const { signerName = "", trustBundle } = spec;
      if (signerName !== "") validateDomainPath(signerName, "spec.signerName", faults);
      validateName(metadata.name ?? "", signerName, faults);
      if (utf8Length(trustBundle) > bundleLengthMax) faults.tooLong("spec.trustBundle", bundleLengthMax);
    },
    update: (after, before, faults) => {
      const [now = "", then = ""] = [after.spec.signerName, before.spec.signerName];
      faults.immutable("spec.signerName", now, now === then);
    },
  },
  strategy: {
    validateNew: checkBundle,
    // An unchanged bundle is not parsed again, so that a newer server never rejects a change of
    // labels.
    validateChanged: (bundle, before, context) =>
      bundle.spec.trustBundle === before.spec.trustBundle ? [] : checkBundle(bundle, context),
  },
  selectable: { "spec.signerName": ({ spec }) => spec.signerName ?? "" },
  table: {
    columns: [
      nameColumn,
      column("SignerName", "Name of the signer whose certificates the bundle contains."),
      ageColumn,
    ],
    cells: (bundle, nowMs) => [
      bundle.metadata.name ?? "",
      bundle.spec.signerName === undefined || bundle.spec.signerName === "" ? "<none>" : bundle.spec.signerName,
      formatAge(bundle, nowMs),
    ],
  },
};

export const clusterTrustBundleKind = defineKind<ClusterTrustBundle>({
  ...common,
  type: clusterTrustBundles,
  schema: ClusterTrustBundle,
});

/** The same objects for clients of 1.26 to 1.32. */
export const clusterTrustBundleV1alpha1Kind = defineKind<ClusterTrustBundle>({
  ...common,
  type: clusterTrustBundlesV1alpha1,
  schema: ClusterTrustBundleV1alpha1,
  view: sameInVersion(clusterTrustBundlesV1alpha1, clusterTrustBundles),
});

function validateName(name: string, signerName: string, faults: Faults): void {
  const prefix = `${signerName.replaceAll("/", ":")}:`;
  if (signerName === "") {
    if (name.includes(":")) {
      faults.invalid("metadata.name", name, 'ClusterTrustBundle without signer name must not have ":" in its name');
    }
  } else if (!name.startsWith(prefix)) {
    const detail = `ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`;
    faults.invalid("metadata.name", name, detail);
  }
}

function checkBundle({ spec }: ClusterTrustBundle, context: PrepareContext): readonly ValidationIssue[] {
  const faults = new Faults();
  for (const fault of context.explainTrustBundle(spec.trustBundle)) {
    faults.invalid("spec.trustBundle", "<value omitted>", fault);
  }
  return faults.list;
}
