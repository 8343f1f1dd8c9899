import type { z } from "zod";
import { Condition } from "../../../meta/condition-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { atomicList, keyedList, text } from "../../../schema/types.ts";

function serviceCidrOf(version: "v1" | "v1beta1") {
  const named = (name: string) => `io.k8s.api.networking.${version}.${name}`;
  const ServiceCIDRSpec = object(named("ServiceCIDRSpec"), "Ranges of a ServiceCIDR.", () => ({
    cidrs: field(
      1,
      atomicList(text),
      "IP ranges for the cluster IPs of Services, such as 10.96.0.0/16. At most one for each IP family.",
    ),
  }));
  const ServiceCIDRStatus = object(named("ServiceCIDRStatus"), "Observed state of a ServiceCIDR.", () => ({
    conditions: field(
      1,
      keyedList(Condition, ["type"]),
      "Observed conditions of the ServiceCIDR. Ready is True while addresses can be allocated from the ranges.",
    ),
  }));
  return kind(
    named("ServiceCIDR"),
    "A ServiceCIDR is a range of addresses from which Services receive their cluster IPs.",
    () => ({
      metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
      spec: field(2, ServiceCIDRSpec, "Ranges of IP addresses."),
      status: field(3, ServiceCIDRStatus, "Observed state of the ServiceCIDR."),
    }),
  );
}

export const ServiceCIDR = serviceCidrOf("v1");
export type ServiceCIDR = z.infer<typeof ServiceCIDR>;
export type ServiceCIDRStatus = NonNullable<ServiceCIDR["status"]>;
export const ServiceCIDRV1beta1 = serviceCidrOf("v1beta1");
