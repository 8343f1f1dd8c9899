import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { microTime, text } from "../../../schema/types.ts";

function leaseCandidateOf(version: "v1beta1" | "v1alpha2") {
  const named = (name: string) => `io.k8s.api.coordination.${version}.${name}`;
  const Spec = object(named("LeaseCandidateSpec"), "Spec of a LeaseCandidate.", () => ({
    leaseName: required(
      1,
      text,
      "Name of the Lease that the candidate applies for, in the namespace of the candidate.",
    ),
    pingTime: field(2, microTime, "Time at which the server last requested a renewal from the candidate."),
    renewTime: field(3, microTime, "Time of the candidate's last renewal."),
    binaryVersion: required(4, text, "Version of the candidate's program, such as 1.33.0."),
    emulationVersion: field(5, text, "Version that the candidate emulates. Must not be later than binaryVersion."),
    strategy: required(6, text, "Election strategy that the candidate prefers, such as OldestEmulationVersion."),
  }));
  return kind(
    named("LeaseCandidate"),
    "A LeaseCandidate is a candidate for a Lease in a coordinated leader election.",
    () => ({
      metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
      spec: required(2, Spec, "Versions and election strategy of the candidate."),
    }),
  );
}

export const LeaseCandidate = leaseCandidateOf("v1beta1");
export type LeaseCandidate = z.infer<typeof LeaseCandidate>;
export const LeaseCandidateV1alpha2 = leaseCandidateOf("v1alpha2");
