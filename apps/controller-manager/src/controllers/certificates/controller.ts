import { certificateSigningRequests, endpoints, nodes, services } from "@kintsugi/api";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods } from "../../shared/indexed-kinds.ts";
import { certificateOptions, findSigningProblem } from "./options.ts";
import { CertificateReconciler } from "./reconciler.ts";
import { certificateRole } from "@kintsugi/rules";

/** Kubelets request a certificate every few months; two workers sign faster than machines join. */
const workers = 2;

/**
 * Approves and signs certificates of kubelets, signs certificates of users that an admin has
 * approved, and removes old requests: upstream's csrapproving, csrsigning, csrcleaner.
 */
export const certificateController = defineController({
  name: "certificate-signing",
  options: certificateOptions,
  roles: [certificateRole],
  findOptionProblem: findSigningProblem,
  events: "certificate-controller",
  reads: [certificateSigningRequests, nodes, indexedPods],
  optional: [services, endpoints],
  needs: { what: "--cluster-signing-cert-file", of: ({ signing }) => signing },
  create(context, authority) {
    const reconciler = new CertificateReconciler({ context, authority });
    return {
      queue: "certificate",
      workers,
      keys: certificateSigningRequests,
      watches: [
        on(certificateSigningRequests, ({ type, object }) => (type === "deleted" ? [] : [object.metadata.name ?? ""])),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});
