import { isRecord, rehearsedKinds, refusedListKind, type RawObject, type PictureSource } from "@kintsugi/rehearsal";

/** Annotations that contain the whole object as it was last applied. */
const droppedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

const containerLists: ReadonlySet<string> = new Set(["containers", "initContainers", "ephemeralContainers"]);

/**
 * The text of a source as one file that a rehearsal can read again. It contains only the kinds that
 * a rehearsal reads, so neither Secrets nor ConfigMaps, and neither the values of variables nor the
 * commands of containers.
 */
export function dumpText({ objects, listed }: PictureSource): string {
  const kinds = new Set(rehearsedKinds.map(({ kind }) => kind.type.kind));
  const lines = objects.filter(({ kind }) => kinds.has(kind)).map((object) => JSON.stringify(withoutContents(object)));
  const lists = listed.map(({ apiVersion, kind, refused }) =>
    refused === undefined
      ? JSON.stringify({ apiVersion, kind: `${kind}List`, items: [] })
      : JSON.stringify({
          apiVersion: "rehearsal.kintsugi.dev/v1",
          kind: refusedListKind,
          of: { apiVersion, kind },
          because: refused,
        }),
  );
  return [...lists, ...lines].join("\n");
}

/** An object without the parts that a rehearsal does not read, and must not have. */
export function withoutContents(object: RawObject): RawObject {
  return JSON.parse(
    JSON.stringify(object, (key, value: unknown) => {
      if (key === "managedFields" || key === droppedAnnotation) return undefined;
      return containerLists.has(key) && Array.isArray(value) ? (value as unknown[]).map(withoutValues) : value;
    }),
  ) as RawObject;
}

/** Labels and selectors may have the same names as these fields, and must be preserved. */
function withoutValues(container: unknown): unknown {
  if (!isRecord(container)) return container;
  const { env: _, envFrom: _from, args: _args, ...kept } = container;
  return kept;
}
