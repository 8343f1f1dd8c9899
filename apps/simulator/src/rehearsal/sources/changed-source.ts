import { apiVersionOf, describeSchema, isApiError } from "@kintsugi/api";
import { applyPatch } from "@kintsugi/api-server/factory";
import {
  type PictureSource,
  type RawObject,
  type RehearsedKind,
  rehearsedKinds,
  UnreadableSource,
} from "@kintsugi/rehearsal";
import { readFiles } from "./read-files.ts";

/** A source with the objects of a pull request applied. */
export interface ChangedSource {
  readonly name: string;
  readonly source: PictureSource;
  /** The effect of each object: "changed shop/deployment/web". */
  readonly objects: readonly string[];
}

interface Meta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly labels?: object;
  readonly annotations?: object;
  readonly ownerReferences?: readonly { readonly uid?: string }[];
}

type Spec = Readonly<Record<string, unknown>> & {
  readonly selector?: unknown;
  readonly replicas?: unknown;
  readonly template?: { readonly spec?: { readonly containers?: readonly { readonly image?: unknown }[] } };
};

/**
 * Maximum depth of owners: owners of real objects are nested twice, and a deeper chain is a cycle.
 */
const ownersDeepMax = 8;

/**
 * Applies the objects of a file or directory to a source. The whole manifest of a workload or a
 * budget replaces its spec, as `kubectl apply` would; anything less is a strategic merge patch, and
 * `$patch: delete` removes the object with all objects that it owns.
 * @throws UnreadableSource
 */
export function changedSource(source: PictureSource, path: string): ChangedSource {
  const objects = new Map(source.objects.map((object) => [keyOf(object), object]));
  const effects = readFiles(path).objects.map((change) => applied(objects, change, path));
  if (effects.length === 0) throw new UnreadableSource(`--with ${path} contains no object`);
  return { name: path, source: { ...source, objects: [...objects.values()] }, objects: effects };
}

function applied(objects: Map<string, RawObject>, change: RawObject, path: string): string {
  const { kind } = change;
  const { name = "", namespace = "" } = metaOf(change);
  if (name === "")
    throw new UnreadableSource(`--with ${path}: a ${kind} has no metadata.name, so its target is unknown`);
  const rehearsed = rehearsedKinds.find(
    (each) => apiVersionOf(each.kind.type) === change.apiVersion && each.kind.type.kind === kind,
  );
  const words = `${rehearsed?.kind.type.namespaced === false ? "" : `${namespace || "default"}/`}${kind.toLowerCase()}/${name}`;
  if (rehearsed === undefined) return `ignored ${words}: ${change.apiVersion} ${kind} is not modelled`;
  const key = keyOf(change);
  const known = objects.get(key);
  if (change["$patch"] === "delete") {
    if (known === undefined)
      throw new UnreadableSource(`--with ${path}: ${words} is to be removed, but the source does not contain it`);
    removeWithOwned(objects, known);
    return `removed ${words}`;
  }
  const changed = known === undefined ? change : merged(known, change, { rehearsed, words, path });
  if (JSON.stringify(changed) === JSON.stringify(known)) return `unchanged ${words}`;
  const { generation = 0 } = metaOf(known ?? change);
  objects.set(key, { ...changed, metadata: { ...metaOf(changed), generation: generation + 1 } });
  return `${known === undefined ? "added" : "changed"} ${words}`;
}

function merged(
  known: RawObject,
  change: RawObject,
  { rehearsed, words, path }: { rehearsed: RehearsedKind; words: string; path: string },
): RawObject {
  if (isWhole(change)) {
    const [before, after] = [metaOf(known), metaOf(change)];
    const { replicas } = specOf(known);
    const spec = { ...(replicas === undefined ? {} : { replicas }), ...specOf(change) };
    return {
      ...known,
      metadata: {
        ...before,
        labels: { ...before.labels, ...after.labels },
        annotations: { ...before.annotations, ...after.annotations },
      },
      spec,
    };
  }
  try {
    const description = describeSchema(rehearsed.kind.schema);
    const patched = applyPatch({ description }, known as never, { type: "strategic", patch: change as never });
    return patched as unknown as RawObject;
  } catch (cause) {
    if (!isApiError(cause)) throw cause;
    throw new UnreadableSource(`--with ${path}: the patch of ${words} cannot be applied: ${cause.message}`, { cause });
  }
}

/**
 * Reports whether a manifest is the whole definition of a workload or a budget, and not a patch.
 */
function isWhole(change: RawObject): boolean {
  const { selector, template } = specOf(change);
  if (change.kind === "PodDisruptionBudget") return selector !== undefined;
  const containers = template?.spec?.containers ?? [];
  return (
    containers.length > 0 &&
    containers.every(({ image }) => image !== undefined) &&
    (selector !== undefined || change.kind === "Job")
  );
}

function removeWithOwned(objects: Map<string, RawObject>, object: RawObject): void {
  let uids = new Set([metaOf(object).uid ?? keyOf(object)]);
  objects.delete(keyOf(object));
  for (let depth = 0; depth < ownersDeepMax && uids.size > 0; depth++) {
    const owned = [...objects].filter(([, each]) =>
      metaOf(each).ownerReferences?.some(({ uid = "" }) => uids.has(uid)),
    );
    uids = new Set(owned.flatMap(([, each]) => metaOf(each).uid ?? []));
    for (const [key] of owned) objects.delete(key);
  }
}

function keyOf(object: RawObject): string {
  const { name = "", namespace = "" } = metaOf(object);
  const group = object.apiVersion.includes("/") ? object.apiVersion.slice(0, object.apiVersion.indexOf("/")) : "";
  const isNamespaced = rehearsedKinds.find(({ kind: { type } }) => type.kind === object.kind && type.group === group)
    ?.kind.type.namespaced;
  return [group, object.kind, isNamespaced === true ? namespace || "default" : namespace, name].join(" ");
}

function metaOf({ metadata }: RawObject): Meta {
  return typeof metadata === "object" && metadata !== null ? metadata : {};
}

function specOf({ spec }: RawObject): Spec {
  return typeof spec === "object" && spec !== null ? (spec as Spec) : {};
}
