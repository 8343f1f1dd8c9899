import { canonicalJson, type ControllerRevision, fnv1a32, type PodTemplateSpec, sameJson } from "@kintsugi/api";
import { nameText } from "@kintsugi/clock";

type RevisionData = NonNullable<ControllerRevision["data"]>;

/**
 * A template as upstream's controllers record it: a strategic merge patch of the workload, which
 * `kubectl rollout history` applies to print an old template and `kubectl rollout undo` sends to
 * the server. kubectl also compares its text with the text of the present template, which kubectl
 * marshals itself. Keys are therefore sorted, and a zero time is null, as Go writes it.
 */
export function revisionDataOf(template: PodTemplateSpec): RevisionData {
  const metadata = { ...template.metadata, creationTimestamp: null };
  return JSON.parse(
    canonicalJson({ spec: { template: { ...template, metadata, $patch: "replace" } } }),
  ) as RevisionData;
}

/**
 * The template that a revision records.
 * @throws Error for a revision that was not written by a controller.
 */
export function templateOf(revision: ControllerRevision): PodTemplateSpec {
  const { spec } = (revision.data ?? {}) as { spec?: { template?: unknown } };
  const recorded = isObject(spec) ? spec["template"] : undefined;
  if (!isObject(recorded)) throw new Error(`controller revision ${revision.metadata.name} records no pod template`);
  const { $patch: _, ...template } = withoutNulls(recorded) as Record<string, unknown>;
  return template;
}

/** Upstream's EqualRevision: both record the same state. */
export function isSameRevision(a: ControllerRevision, b: ControllerRevision): boolean {
  return sameJson(withoutNulls(a.data), withoutNulls(b.data));
}

/**
 * The last part of a revision's name: a hash of its data and of the number of name collisions, in
 * letters that names may contain. Upstream's hash of the same template has another value.
 */
export function hashOf(data: RevisionData, collisionCount: number): string {
  return nameText(String(fnv1a32(new TextEncoder().encode(canonicalJson(data) + collisionCount))));
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
