import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { text } from "../../../schema/types.ts";

function clusterTrustBundleOf(version: "v1beta1" | "v1alpha1") {
  const named = (name: string) => `io.k8s.api.certificates.${version}.${name}`;
  const Spec = object(named("ClusterTrustBundleSpec"), "The spec holds the certificates.", () => ({
    signerName: field(
      1,
      text,
      "The certificates are those of the signer with this name, with which the object's name then begins; the default is no signer.",
    ),
    trustBundle: required(
      2,
      text,
      "The certificates of authorities, in PEM, 1 MiB at most; their order has no meaning.",
    ),
  }));
  return kind(
    named("ClusterTrustBundle"),
    "A ClusterTrustBundle holds certificates of authorities for all pods.",
    () => ({
      metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
      spec: required(2, Spec, "The spec holds the certificates."),
    }),
  );
}

export const ClusterTrustBundle = clusterTrustBundleOf("v1beta1");
export type ClusterTrustBundle = z.infer<typeof ClusterTrustBundle>;
export const ClusterTrustBundleV1alpha1 = clusterTrustBundleOf("v1alpha1");
