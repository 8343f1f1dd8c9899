import { ipAddresses, serviceCidrs } from "@kintsugi/api";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { ServiceCidrReconciler } from "./reconciler.ts";
import { serviceCidrsRole } from "@kintsugi/rules";

/**
 * Declares ServiceCIDRs ready, and delays their deletion while Services have addresses of these
 * ranges: upstream's pkg/controller/servicecidrs.
 */
export const serviceCidrsController = defineController({
  name: "service-cidr",
  options: {},
  roles: [serviceCidrsRole],
  reads: [serviceCidrs, ipAddresses],
  create(context) {
    const reconciler = new ServiceCidrReconciler(context);
    const deleted = () =>
      context.informers
        .of(serviceCidrs)
        .list()
        .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        .map(({ metadata }) => metadata.name ?? "");
    return {
      workers: 1,
      keys: serviceCidrs,
      watches: [
        // A new range may contain the addresses of a range that is being deleted.
        on(serviceCidrs, ({ object }) => [object.metadata.name ?? "", ...deleted()]),
        on(ipAddresses, ({ type }) => (type === "modified" ? [] : deleted())),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});
