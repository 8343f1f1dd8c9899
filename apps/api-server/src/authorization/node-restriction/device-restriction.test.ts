import { pods, resourceSlices } from "@kintsugi/api";
import { test } from "vitest";
import type { AdmissionAttributes } from "../admission-attributes.ts";
import { aWrite } from "../testing/admission.ts";
import { aNodeUser } from "../testing/policy-store.ts";
import { expectAdmitted, expectRefused } from "./testing/judge-write.ts";
import { aMirrorPod, aPod } from "./testing/node-objects.ts";

const user = aNodeUser("node-1");
const here = { user, namespace: "default" };
const sliceOf = (nodeName: string) => ({ metadata: { name: "s" }, spec: { nodeName, driver: "gpu.example.com" } });
const deletion = { user, operation: "delete", name: "s" } as const;
const podStatus = { ...here, operation: "update", subresource: "status", name: "web" } as const;
const withClaim = { ...aPod("node-1"), status: { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "c" }] } };
const extended = { resourceClaimName: "c", requestMappings: [] };
const ofTemplate = [{ name: "gpu", resourceClaimTemplateName: "t" }];

const admitted: [what: string, write: AdmissionAttributes][] = [
  ["a slice of its own", aWrite(resourceSlices, { user, object: sliceOf("node-1") })],
  ["deleting a slice of its own", aWrite(resourceSlices, { ...deletion, before: sliceOf("node-1") })],
  ["keeping its pod's claims", aWrite(pods, { ...podStatus, object: withClaim, before: withClaim })],
];

const refused: [because: string, write: AdmissionAttributes][] = [
  [
    "can only create ResourceSlice with the same NodeName as the requesting node",
    aWrite(resourceSlices, { user, object: sliceOf("node-2") }),
  ],
  [
    "can only delete ResourceSlice with the same NodeName as the requesting node",
    aWrite(resourceSlices, { ...deletion, before: sliceOf("node-2") }),
  ],
  [
    'node "node-1" cannot update resource claim statuses',
    aWrite(pods, { ...podStatus, object: withClaim, before: aPod("node-1") }),
  ],
  [
    'node "node-1" cannot update extended resource claim status',
    aWrite(pods, {
      ...podStatus,
      object: { ...aPod("node-1"), status: { extendedResourceClaimStatus: extended } },
      before: aPod("node-1"),
    }),
  ],
  [
    'node "node-1" can not create pods that reference resourceclaims',
    aWrite(pods, { ...here, object: aMirrorPod({}, { resourceClaims: ofTemplate }) }),
  ],
];

test.each(admitted)("a node is allowed: %s", (_name, write) => expectAdmitted(write));
test.each(refused)("a node is refused: %s", (because, write) => expectRefused(write, because));
