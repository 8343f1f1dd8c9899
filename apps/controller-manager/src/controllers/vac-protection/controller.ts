import {
  parseKey,
  type PersistentVolume,
  persistentVolumeClaims,
  persistentVolumes,
  volumeAttributesClasses,
} from "@kintsugi/api";
import { done, on, reading, type ReconcileResult, settled } from "@kintsugi/controller";
import { attributesClassesOf, vacProtectionRole } from "@kintsugi/rules";
import { type ControllerContext, defineController } from "../../context.ts";
import { planClassFinalizers } from "./plan.ts";

const indexedClaims = reading(persistentVolumeClaims, { attributesClass: attributesClassesOf });
const indexedVolumes = reading(persistentVolumes, { attributesClass: classesOfVolume });

/** Delays the deletion of a VolumeAttributesClass while a volume or a claim names it. */
export const vacProtectionController = defineController({
  name: "volumeattributesclass-protection",
  options: {},
  roles: [vacProtectionRole],
  reads: [volumeAttributesClasses, indexedClaims, indexedVolumes],
  create(context) {
    return {
      workers: 1,
      keys: volumeAttributesClasses,
      watches: [
        on(volumeAttributesClasses),
        // A class may be removed when the last object that used it names another class.
        on(persistentVolumeClaims, (change) =>
          change.type === "added"
            ? []
            : attributesClassesOf(change.type === "modified" ? change.before : change.object),
        ),
        on(persistentVolumes, (change) =>
          change.type === "added" ? [] : classesOfVolume(change.type === "modified" ? change.before : change.object),
        ),
      ],
      reconcile: (key, signal) => settled(reconcile(context, key, signal)),
    };
  },
});

function classesOfVolume({ spec }: PersistentVolume): string[] {
  const name = spec?.volumeAttributesClassName ?? "";
  return name === "" ? [] : [name];
}

async function reconcile(context: ControllerContext, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const { informers, client } = context;
  const found = informers.of(volumeAttributesClasses).find(parseKey(key));
  if (found === undefined) return done;
  const isUsed =
    informers.of(persistentVolumeClaims).byIndex("attributesClass", key).length > 0 ||
    informers.of(persistentVolumes).byIndex("attributesClass", key).length > 0;
  const finalizers = planClassFinalizers(found, isUsed);
  if (finalizers === undefined) return done;
  await client.update(volumeAttributesClasses, { ...found, metadata: { ...found.metadata, finalizers } }, { signal });
  return done;
}
