import { type IngressClass, ingressClassAnnotation, ingressClasses, ingresses } from "@kintsugi/api";
import type { Store } from "@kintsugi/store";
import { decodeEntry } from "../../resources/encoding.ts";
import { storePrefix, storeResource } from "../../resources/keys.ts";
import { type AdmissionStep, createdObject } from "../admission.ts";

/**
 * An Ingress without a class gets the default class, or the newest of several default classes
 * (plugin/pkg/admission/network/defaultingressclass).
 */
export function defaultIngressClass({ store }: { store: Pick<Store, "list" | "lastRevisionOf"> }): AdmissionStep {
  return {
    name: "DefaultIngressClass",
    handles: { operations: ["create"], resources: [ingresses], subresources: [""] },
    mutate: (request) => {
      const ingress = createdObject(request, ingresses);
      if (ingress === undefined || ingress.spec?.ingressClassName !== undefined) return;
      if (ingress.metadata.annotations?.[ingressClassAnnotation] !== undefined) return;
      if (store.lastRevisionOf(storeResource(ingressClasses)) === 0) return;
      const { entries } = store.list(storePrefix(ingressClasses, ""));
      const defaults = entries.filter(({ index }) => index.fields?.["isDefault"] === "true");
      // A stored object has passed the kind's schema, so it has the kind's shape.
      const [newest] = defaults.map((entry) => decodeEntry(entry) as IngressClass).toSorted(byAge);
      if (newest?.metadata.name !== undefined)
        ingress.spec = { ...ingress.spec, ingressClassName: newest.metadata.name };
    },
  };
}

function byAge({ metadata: a }: IngressClass, { metadata: b }: IngressClass): number {
  const [youngest, older] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  if (youngest !== older) return youngest > older ? -1 : 1;
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}
