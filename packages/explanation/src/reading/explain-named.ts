import { type ApiObject, isApiError, type TimerProfile } from "@kintsugi/api";
import { type Explained, explainObject } from "../explain.ts";
import type { Explanation } from "../explanation.ts";
import { explainedTypes, type ExplainTarget } from "./explain-target.ts";
import { NotExplainable, type ExplanationReader } from "./object-reader.ts";
import { readWorld } from "./read-world.ts";

export interface ExplainedName {
  readonly target: ExplainTarget;
  readonly namespace: string;
}

/**
 * Explains an object by its name, from the objects that the client may read.
 * @throws NotExplainable when there is no such object, or several workloads have the name.
 */
export async function explainNamed(
  client: ExplanationReader,
  { target, namespace }: ExplainedName,
  { timers, nowMs }: { timers: TimerProfile; nowMs: () => number },
): Promise<Explanation> {
  const { resource, object } = await findTarget(client, target, namespace);
  const { world, unread } = await readWorld(client, { resource, object }, { timers, nowMs });
  return explainObject(resource, object as never, { world, unread });
}

interface Found {
  readonly resource: Explained;
  readonly object: ApiObject;
}

async function findTarget(
  client: ExplanationReader,
  { kinds, name }: ExplainTarget,
  namespace: string,
): Promise<Found> {
  const refusals: string[] = [];
  const candidates = await Promise.all(
    kinds.map(async (resource): Promise<Found | undefined> => {
      const type = explainedTypes[resource];
      try {
        const object = await client.find(type, { namespace: type.namespaced ? namespace : "", name });
        return object === undefined ? undefined : { resource, object };
      } catch (error) {
        if (kinds.length === 1 || !isApiError(error, "Forbidden")) throw error;
        refusals.push(type.resource);
        return undefined;
      }
    }),
  );
  const found = candidates.filter((each) => each !== undefined);
  // A Deployment's ReplicaSet and a CronJob's Job have names that differ from their owners'.
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const named = (each: Found) => `${explainedTypes[each.resource].singular}/${name}`;
  if (only !== undefined) {
    throw new NotExplainable(`several workloads have this name; explain one of them: ${found.map(named).join(", ")}`);
  }
  const wanted = kinds.length === 1 ? kinds.map((kind) => explainedTypes[kind].singular).join() : "workload";
  const place = kinds.every((kind) => !explainedTypes[kind].namespaced) ? "" : ` in the namespace ${namespace}`;
  const unread = refusals.length === 0 ? "" : `; you may not read ${refusals.join(", ")}`;
  throw new NotExplainable(`there is no ${wanted} "${name}"${place}${unread}`);
}
