import { type CertificateSigningRequest, certificateSigningRequests, forbidden } from "@kintsugi/api";
import type { Authorizer } from "../authorization/authorization.ts";
import { maySign } from "../authorization/index.ts";
import { userFieldsOf } from "../authorization/user-fields.ts";
import { signedSubjectOf } from "../resources/signed-subject.ts";
import { type AdmissionRequest, type AdmissionStep, createdObject } from "./admission.ts";

/**
 * The server records the user that requests a certificate and overwrites the user that the request
 * claims.
 */
export const certificateRequestor: AdmissionStep = {
  name: "CertificateRequestor",
  handles: { operations: ["create"], resources: [certificateSigningRequests], subresources: [""] },
  mutate: (request) => {
    if (request.operation !== "create" || !isAbout(request)) return;
    const { spec } = request.object as CertificateSigningRequest;
    delete spec.uid;
    delete spec.extra;
    Object.assign(spec, userFieldsOf(request.user));
  },
};

/**
 * Upstream's CertificateApproval and CertificateSigning: a user who approves, or signs, for a
 * signer needs the right to that signer. The third step rejects the group system:masters, which
 * RBAC cannot restrict.
 */
export function certificateSteps(authorizer: Authorizer): readonly AdmissionStep[] {
  return [
    signerStep(authorizer, { name: "CertificateApproval", subresource: "approval", verb: "approve" }),
    signerStep(authorizer, { name: "CertificateSigning", subresource: "status", verb: "sign" }),
    certificateSubjectRestriction,
  ];
}

const userSigner = "kubernetes.io/kube-apiserver-client";
const everythingGroup = "system:masters";

const certificateSubjectRestriction: AdmissionStep = {
  name: "CertificateSubjectRestriction",
  handles: { operations: ["create"], resources: [certificateSigningRequests], subresources: [""] },
  validate: (request) => {
    const asked = createdObject(request, certificateSigningRequests);
    if (asked?.spec.signerName !== userSigner) return undefined;
    // A request that cannot be parsed has already been rejected as invalid.
    const { organizations } = signedSubjectOf(asked.spec);
    if (!organizations.includes(everythingGroup)) return undefined;
    const why = `use of ${userSigner} signer with ${everythingGroup} group is not allowed`;
    return forbidden(certificateSigningRequests, request.name, why);
  },
};

function signerStep(
  authorizer: Authorizer,
  target: { name: string; subresource: string; verb: string },
): AdmissionStep {
  const { name, subresource, verb } = target;
  return {
    name,
    handles: { operations: ["update"], resources: [certificateSigningRequests], subresources: [subresource] },
    validate: (request) => {
      if (request.operation !== "update" || request.subresource !== subresource || !isAbout(request)) return undefined;
      const { signerName } = (request.before as CertificateSigningRequest).spec;
      if (maySign(authorizer, { user: request.user, verb, signer: signerName })) return undefined;
      const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`;
      return forbidden(certificateSigningRequests, request.name, why);
    },
  };
}

function isAbout({ resource, object }: AdmissionRequest): boolean {
  return resource.type.resource === certificateSigningRequests.resource && object !== undefined;
}
