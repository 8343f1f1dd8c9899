import { canonicalJson, fnv1a32, type PodTemplateSpec, sameJson } from "@kintsugi/api";
import { nameText } from "@kintsugi/clock";

/**
 * This label distinguishes a set and its pods from those of other templates of the same Deployment.
 */
export const hashLabel = "pod-template-hash";

/**
 * The value of the label: as upstream FNV-1a of the template and of how often a name was taken
 * already, in letters for names. Upstream hashes how Go prints the template, so the same template
 * has another value there.
 */
export function templateHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  const bytes = new TextEncoder().encode(canonicalJson(template) + (collisionCount ?? ""));
  return nameText(String(fnv1a32(bytes)));
}

/** Reports whether both make the same pods: upstream's EqualIgnoreHash. */
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
