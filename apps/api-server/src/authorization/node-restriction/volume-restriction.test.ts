import { csiNodes, persistentVolumeClaims } from "@kintsugi/api";
import { test } from "vitest";
import type { AdmissionAttributes } from "../admission-attributes.ts";
import { aWrite } from "../testing/admission.ts";
import { aNodeUser } from "../testing/policy-store.ts";
import { expectAdmitted, expectRefused } from "./testing/judge-write.ts";

const user = aNodeUser("node-1");
const claim = { metadata: { name: "data" }, spec: { volumeName: "disk" }, status: { phase: "Bound" } };
const grown = { ...claim, status: { phase: "Bound", capacity: { storage: "2Gi" } } };
const claimStatus = { user, namespace: "default", name: "data", operation: "update" as const, subresource: "status" };
const admitted: [name: string, write: AdmissionAttributes][] = [
  ["creating its CSINode", aWrite(csiNodes, { user, object: { metadata: { name: "node-1" } } })],
  [
    "reporting that a volume has grown",
    aWrite(persistentVolumeClaims, { ...claimStatus, object: grown, before: claim }),
  ],
];
const refused: [because: string, write: AdmissionAttributes][] = [
  [
    "can only access CSINode with the same name as the requesting node",
    aWrite(csiNodes, { user, object: { metadata: { name: "node-2" } } }),
  ],
  [
    'node "node-1" is not allowed to update fields other than status.quantity and status.conditions',
    aWrite(persistentVolumeClaims, { ...claimStatus, object: { ...claim, status: { phase: "Lost" } }, before: claim }),
  ],
  [
    'node "node-1" is not allowed to update fields other than status.quantity and status.conditions',
    aWrite(persistentVolumeClaims, {
      ...claimStatus,
      object: { ...grown, spec: { volumeName: "of-another" } },
      before: claim,
    }),
  ],
  ['unexpected pvc subresource ""', aWrite(persistentVolumeClaims, { ...claimStatus, subresource: "", object: grown })],
];

test.each(admitted)("a node is allowed: %s", (_name, write) => expectAdmitted(write));

test.each(refused)("a node is refused: %s", (because, write) => expectRefused(write, because));
