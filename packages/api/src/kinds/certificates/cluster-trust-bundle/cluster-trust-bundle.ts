import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { text } from "../../../schema/types.ts";

function clusterTrustBundleOf(version: "v1beta1" | "v1alpha1") {
  const named = (name: string) => `io.k8s.api.certificates.${version}.${name}`;
  const Spec = object(named("ClusterTrustBundleSpec"), "Trusted root certificates of a ClusterTrustBundle.", () => ({
    signerName: field(
      1,
      text,
      "Name of the signer of the certificates. If set, the name of the object must begin with the signer's name. Defaults to no signer.",
    ),
    trustBundle: required(2, text, "Trusted root certificates in PEM, at most 1 MiB and in any order."),
  }));
  return kind(
    named("ClusterTrustBundle"),
    "A ClusterTrustBundle contains trusted root certificates that pods in every namespace can use.",
    () => ({
      metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
      spec: required(2, Spec, "Certificates of the bundle and their signer."),
    }),
  );
}

export const ClusterTrustBundle = clusterTrustBundleOf("v1beta1");
export type ClusterTrustBundle = z.infer<typeof ClusterTrustBundle>;
export const ClusterTrustBundleV1alpha1 = clusterTrustBundleOf("v1alpha1");
