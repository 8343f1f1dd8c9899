import { canonicalJson, fnv1a32, type PodTemplateSpec, sameJson } from "@kintsugi/api";
import { nameText } from "@kintsugi/clock";

/**
 * This label distinguishes a set and its pods from the sets and pods of other templates of the same
 * Deployment.
 */
export const hashLabel = "pod-template-hash";

/**
 * The value of the label: FNV-1a of the template and of the number of name collisions, in letters
 * that names may contain. Upstream hashes Go's print of the template, so the same template has a
 * different value there.
 */
export function templateHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  const bytes = new TextEncoder().encode(canonicalJson(template) + (collisionCount ?? ""));
  return nameText(String(fnv1a32(bytes)));
}

/** Reports whether both templates make the same pods: upstream's EqualIgnoreHash. */
export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return sameJson(withoutHash(a), withoutHash(b));
}

export function withHash(template: PodTemplateSpec, hash: string): PodTemplateSpec {
  const { metadata } = template;
  return { ...template, metadata: { ...metadata, labels: { ...metadata?.labels, [hashLabel]: hash } } };
}

function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  if (template?.metadata?.labels?.[hashLabel] === undefined) return template;
  const { [hashLabel]: _, ...labels } = template.metadata.labels;
  return { ...template, metadata: { ...template.metadata, labels } };
}
