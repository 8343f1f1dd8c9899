import {
  betaStorageClassAnnotation,
  findDefaultClass,
  persistentVolumeClaims,
  type StorageClass,
  storageClasses,
} from "@kintsugi/api";
import type { Store } from "@kintsugi/store";
import { decodeEntry } from "../resources/encoding.ts";
import { storePrefix, storeResource } from "../resources/keys.ts";
import { type AdmissionStep, createdObject } from "./admission.ts";

/**
 * A claim without a StorageClass gets the default class, or the newest of several default classes.
 * An empty name requests a volume without a class
 * (plugin/pkg/admission/storage/storageclass/setdefault).
 */
export function defaultStorageClass({ store }: { store: Pick<Store, "list" | "lastRevisionOf"> }): AdmissionStep {
  const defaultName = rememberDefault(store);
  return {
    name: "DefaultStorageClass",
    handles: { operations: ["create"], resources: [persistentVolumeClaims], subresources: [""] },
    mutate: (request) => {
      const claim = createdObject(request, persistentVolumeClaims);
      if (claim === undefined || claim.spec?.storageClassName !== undefined) return;
      if (claim.metadata.annotations?.[betaStorageClassAnnotation] !== undefined) return;
      const name = defaultName();
      if (name !== undefined) claim.spec = { ...claim.spec, storageClassName: name };
    },
  };
}

/** Claims are made more often than classes change, so the default is looked up once per change. */
function rememberDefault(store: Pick<Store, "list" | "lastRevisionOf">): () => string | undefined {
  const resource = storeResource(storageClasses);
  let revision = -1;
  let known: string | undefined;
  return () => {
    const last = store.lastRevisionOf(resource);
    if (last !== revision) {
      const { entries } = store.list(storePrefix(storageClasses, ""));
      const defaults = entries.filter(({ index }) => index.fields?.["isDefault"] === "true");
      // A stored object has passed the kind's schema, so it has the kind's shape.
      known = findDefaultClass(defaults.map((entry) => decodeEntry(entry) as StorageClass))?.metadata.name;
      revision = last;
    }
    return known;
  };
}
