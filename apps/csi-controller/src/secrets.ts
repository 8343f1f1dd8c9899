import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  secrets,
  type StorageClass,
  type VolumeSnapshot,
  type VolumeSnapshotClass,
} from "@kintsugi/api";
import { secretTexts, type Texts } from "@kintsugi/csi";
import type { StorageContext } from "./context.ts";

/** The namespace and name of a Secret whose content is sent to the driver. */
export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
}

/** Keys of a class that name Secrets: "csi.storage.k8s.io/<use>-secret-name" and "-namespace". */
const classPrefix = "csi.storage.k8s.io/";
/**
 * The Secret with which a volume was created is also used for its deletion, when its class may no
 * longer exist.
 */
const deletionName = "volume.kubernetes.io/provisioner-deletion-secret-name";
const deletionNamespace = "volume.kubernetes.io/provisioner-deletion-secret-namespace";

export type SecretUse =
  | "provisioner"
  | "controller-publish"
  | "node-stage"
  | "node-publish"
  | "controller-expand"
  | "node-expand";

/**
 * Returns the Secret that the class names for the use, with `${pv.name}`, `${pvc.namespace}`,
 * `${pvc.name}` and `${pvc.annotations['key']}` replaced (external-provisioner,
 * getSecretReference). @throws Error for an incomplete reference, and for an unknown variable.
 */
export function secretOfClass(
  { parameters = {} }: StorageClass,
  use: SecretUse,
  { claim, volumeName }: { claim: PersistentVolumeClaim; volumeName: string },
): SecretPlace | undefined {
  const templates = templatesOf("StorageClass", parameters, use);
  if (templates === undefined) return undefined;
  const { metadata } = claim;
  const place: Record<string, string> = { "pv.name": volumeName, "pvc.namespace": metadata.namespace ?? "" };
  // A user of a claim must not be able to choose the namespace by the claim's name or annotations.
  const words = { ...place, "pvc.name": metadata.name ?? "", ...annotationWords(metadata.annotations ?? {}) };
  return { namespace: filled(templates.namespace, place), name: filled(templates.name, words) };
}

/**
 * Returns the Secret that the snapshot class names, with `${volumesnapshotcontent.name}`,
 * `${volumesnapshot.namespace}` and, only in the name, `${volumesnapshot.name}` replaced.
 * @throws Error for an incomplete reference, and for an unknown variable.
 */
export function secretOfSnapshotClass(
  { parameters = {} }: VolumeSnapshotClass,
  { snapshot, contentName }: { snapshot: VolumeSnapshot; contentName: string },
): SecretPlace | undefined {
  const templates = templatesOf("VolumeSnapshotClass", parameters, "snapshotter");
  if (templates === undefined) return undefined;
  const { namespace = "", name = "" } = snapshot.metadata;
  const place = { "volumesnapshotcontent.name": contentName, "volumesnapshot.namespace": namespace };
  const words = { ...place, "volumesnapshot.name": name };
  return { namespace: filled(templates.namespace, place), name: filled(templates.name, words) };
}

/** Returns the class's parameters that are for the driver. */
export function driverParameters({
  parameters = {},
}: Pick<StorageClass | VolumeSnapshotClass, "parameters">): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).filter(([key]) => !key.startsWith(classPrefix)));
}

function templatesOf(kind: string, parameters: Readonly<Record<string, string>>, use: string): SecretPlace | undefined {
  const [name, namespace] = [`${use}-secret-name`, `${use}-secret-namespace`].map(
    (key) => parameters[`${classPrefix}${key}`],
  );
  if (name === undefined && namespace === undefined) return undefined;
  if (!name || !namespace)
    throw new Error(`the ${kind} names a Secret for ${use} incompletely: its name and its namespace are required`);
  return { name, namespace };
}

function annotationWords(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [`pvc.annotations['${key}']`, value] as const),
  );
}

function filled(template: string, words: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\$\{([^}]*)\}/g, (_whole, word: string) => {
    const value = Object.hasOwn(words, word) ? words[word] : undefined;
    if (value === undefined) throw new Error(`the class names a Secret with the unknown variable "\${${word}}"`);
    return value;
  });
}

/** Returns the annotations by which the Secret is found when the volume is deleted. */
export function deletionSecretAnnotations(place: SecretPlace | undefined): Record<string, string> {
  return place === undefined ? {} : { [deletionName]: place.name, [deletionNamespace]: place.namespace };
}

/** A reference whose parts may be missing. */
interface NamedSecret {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** The Secrets that a volume names for calls of the controller. */
const placesOfVolume = {
  delete: ({ metadata: { annotations = {} } }: PersistentVolume): NamedSecret => ({
    name: annotations[deletionName],
    namespace: annotations[deletionNamespace],
  }),
  controllerPublish: ({ spec }: PersistentVolume): NamedSecret | undefined => spec?.csi?.controllerPublishSecretRef,
  controllerExpand: ({ spec }: PersistentVolume): NamedSecret | undefined => spec?.csi?.controllerExpandSecretRef,
} as const;

/**
 * Returns the content of the Secret for a call about the volume; {} where the volume does not name
 * a Secret.
 */
export async function secretsFor(
  context: StorageContext,
  { volume, call }: { volume: PersistentVolume; call: keyof typeof placesOfVolume },
  signal: AbortSignal,
): Promise<Texts> {
  const { name = "", namespace = "" } = placesOfVolume[call](volume) ?? {};
  return name === "" ? {} : readSecret(context, { name, namespace }, signal);
}

/** Returns the content of a Secret. @throws Error while the Secret does not exist. */
export async function readSecret(
  { client }: Pick<StorageContext, "client">,
  place: SecretPlace,
  signal: AbortSignal,
): Promise<Texts> {
  const secret = await client.find(secrets, place, { signal });
  if (secret === undefined)
    throw new Error(`failed to get secret ${place.name} in namespace ${place.namespace}: not found`);
  return secretTexts(secret.data);
}
