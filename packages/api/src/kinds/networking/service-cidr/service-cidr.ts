import type { z } from "zod";
import { Condition } from "../../../meta/condition.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { atomicList, keyedList, text } from "../../../schema/types.ts";

function serviceCidrOf(version: "v1" | "v1beta1") {
  const named = (name: string) => `io.k8s.api.networking.${version}.${name}`;
  const ServiceCIDRSpec = object(named("ServiceCIDRSpec"), "The spec holds the ranges of addresses.", () => ({
    cidrs: field(
      1,
      atomicList(text),
      'Services get their cluster IPs from these ranges, such as "10.96.0.0/16"; there is one for each IP family at most.',
    ),
  }));
  const ServiceCIDRStatus = object(
    named("ServiceCIDRStatus"),
    "The status shows whether Services get addresses of the ranges.",
    () => ({
      conditions: field(
        1,
        keyedList(Condition, ["type"]),
        "The condition Ready is true while Services get addresses of the ranges.",
      ),
    }),
  );
  return kind(
    named("ServiceCIDR"),
    "A ServiceCIDR is a range of addresses from which Services get their cluster IPs.",
    () => ({
      metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
      spec: field(2, ServiceCIDRSpec, "The spec holds the ranges of addresses."),
      status: field(3, ServiceCIDRStatus, "The status shows whether Services get addresses of the ranges."),
    }),
  );
}

export const ServiceCIDR = serviceCidrOf("v1");
export type ServiceCIDR = z.infer<typeof ServiceCIDR>;
export type ServiceCIDRStatus = NonNullable<ServiceCIDR["status"]>;
export const ServiceCIDRV1beta1 = serviceCidrOf("v1beta1");
