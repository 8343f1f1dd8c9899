import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { microTime, text } from "../../../schema/types.ts";

function leaseCandidateOf(version: "v1beta1" | "v1alpha2") {
  const named = (name: string) => `io.k8s.api.coordination.${version}.${name}`;
  const Spec = object(named("LeaseCandidateSpec"), "The spec describes the candidate.", () => ({
    leaseName: required(1, text, "The candidate stands for the Lease with this name, in its own namespace."),
    pingTime: field(2, microTime, "The server asked the candidate at this time whether it still stands."),
    renewTime: field(3, microTime, "The candidate last answered at this time."),
    binaryVersion: required(4, text, "The candidate's program has this version, such as 1.33.0."),
    emulationVersion: field(5, text, "The candidate behaves as this version, which is no later than binaryVersion."),
    strategy: required(6, text, "The candidate wants this strategy of election, such as OldestEmulationVersion."),
  }));
  return kind(
    named("LeaseCandidate"),
    "A LeaseCandidate stands for a Lease whose holder the control plane chooses.",
    () => ({
      metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
      spec: required(2, Spec, "The spec describes the candidate."),
    }),
  );
}

export const LeaseCandidate = leaseCandidateOf("v1beta1");
export type LeaseCandidate = z.infer<typeof LeaseCandidate>;
export const LeaseCandidateV1alpha2 = leaseCandidateOf("v1alpha2");
