import { type ClusterTrustBundle, clusterTrustBundles, forbidden } from "@kintsugi/api";
import type { Authorizer } from "../../authorization/authorization.ts";
import { maySign } from "../../authorization/index.ts";
import type { AdmissionStep } from "../admission.ts";

/**
 * A bundle is trusted for its signer, so its writer needs the right to attest for its current
 * signer and for its previous signer (plugin/pkg/admission/certificates/ctbattest).
 */
export function trustBundleAttest(authorizer: Authorizer): AdmissionStep {
  return {
    name: "ClusterTrustBundleAttest",
    handles: { operations: ["create", "update"], resources: [clusterTrustBundles], subresources: [""] },
    validate: ({ object, before, name, user }) => {
      const signers = [object, before].map(
        (bundle) => (bundle as ClusterTrustBundle | undefined)?.spec.signerName ?? "",
      );
      const refused = signers.find((signer) => signer !== "" && !maySign(authorizer, { user, verb: "attest", signer }));
      if (refused === undefined) return undefined;
      const why = `user not permitted to attest for signerName ${JSON.stringify(refused)}`;
      return forbidden(clusterTrustBundles, name, why);
    },
  };
}
