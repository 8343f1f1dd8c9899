import { apiVersionOf, type IngressClass, ingressClasses, isApiError } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

const labClass: IngressClass = {
  apiVersion: apiVersionOf(ingressClasses),
  kind: ingressClasses.kind,
  metadata: { name: "kintsugi", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
  spec: { controller: "kintsugi.dev/ingress-controller" },
};

/** The client has the administrator's permissions, and is closed after the call. */
export function createIngressObjects(deps: { connect: () => Client }) {
  return {
    /** Creates the default class `kintsugi` if it is missing. */
    async provide(): Promise<void> {
      const client = deps.connect();
      try {
        await client.create(ingressClasses, labClass);
      } catch (error) {
        if (!isApiError(error, "AlreadyExists")) throw error;
      } finally {
        await client.close();
      }
    },
  };
}
