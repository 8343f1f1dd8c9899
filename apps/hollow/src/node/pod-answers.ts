import { answersAnnotation, keyPrefix } from "./hollow-keys.ts";

/** Returns the data of a ConfigMap; undefined where the ConfigMap does not exist. */
export type ConfigMapReader = (namespace: string, name: string) => Readonly<Record<string, string>> | undefined;

type Annotations = Readonly<Record<string, string>>;

/**
 * Completes the annotations of a pod by the ConfigMap that an annotation names. The ConfigMap's key
 * `logs` means the same as the annotation `kintsugi.dev/logs`, which takes precedence.
 */
export function completedAnnotations(
  { namespace, annotations }: { namespace: string; annotations: Annotations },
  read: ConfigMapReader | undefined,
): Annotations {
  const name = annotations[answersAnnotation];
  const data = name === undefined ? undefined : read?.(namespace, name);
  if (data === undefined) return annotations;
  const more = Object.entries(data).map(([key, value]) => [`${keyPrefix}${key}`, value]);
  return { ...Object.fromEntries(more), ...annotations };
}
