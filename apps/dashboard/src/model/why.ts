import {
  type Explained,
  explainers,
  explainObject,
  type Explanation,
  type KindsRead,
  type World,
} from "@kintsugi/explanation";

/** The plural name of a kind that can be explained, by the kind's own name. */
export function explainedKind(kind: string): Explained | undefined {
  return (Object.keys(explainers) as Explained[]).find((plural) => explainers[plural].kind === kind);
}

/** Explains an object from everything that the page has read. */
export function whyOf(kind: Explained, object: KindsRead[Explained], world: World): Explanation {
  return explainObject(kind, object as never, { world });
}
