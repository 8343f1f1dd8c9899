import { apiVersionOf, isApiError } from "@kintsugi/api";
import {
  type ListedKind,
  listPathOf,
  type RawObject,
  type RehearsedKind,
  rehearsedKinds,
  UnreadableSource,
} from "@kintsugi/rehearsal";

/** The only call that a rehearsal makes to a cluster. */
export interface ListReader {
  /**
   * Gets a path and returns the parsed response.
   * @throws ApiError when the server rejects the request.
   */
  get(path: string): Promise<unknown>;
}

/** Number of objects per request, as in kubectl. */
const pageLimit = 500;
/** A cluster with more objects of a kind than this is too large to be rehearsed. */
const pagesMax = 400;

export interface LiveObjects {
  readonly objects: readonly RawObject[];
  readonly listed: readonly ListedKind[];
  /** The revision of each list, by the path of the list, from which a watch continues. */
  readonly revisions: ReadonlyMap<string, string>;
}

/**
 * Lists every kind of a rehearsal, one after the other, page by page, from the server's cache. A
 * kind that may not be listed is recorded with the missing rule; an overloaded server ends the
 * reading.
 * @throws UnreadableSource when the server requests a later retry.
 */
export async function readLive(reader: ListReader, say: (line: string) => void): Promise<LiveObjects> {
  const objects: RawObject[] = [];
  const listed: ListedKind[] = [];
  const revisions = new Map<string, string>();
  for (const rehearsed of rehearsedKinds) {
    const { type } = rehearsed.kind;
    const of = { apiVersion: apiVersionOf(type), kind: type.kind };
    try {
      const keepRevision = (revision: string) => revisions.set(listPathOf(rehearsed), revision);
      for await (const item of listedItems(reader, rehearsed, keepRevision)) objects.push({ ...of, ...item });
      listed.push(of);
    } catch (error) {
      if (!isApiError(error)) throw error;
      if (isApiError(error, "TooManyRequests"))
        throw new UnreadableSource(
          `the API server is overloaded (429, at ${type.resource}), and a rehearsal does not add load: try again later, or dump the cluster at a quieter hour`,
          { cause: error },
        );
      const refused = refusalOf(error, rehearsed);
      say(`${rehearsed.key}: ${refused}`);
      listed.push({ ...of, refused });
    }
  }
  return { objects, listed, revisions };
}

/** Lists one kind, page by page. */
export async function* listedItems(
  reader: ListReader,
  rehearsed: RehearsedKind,
  keepRevision: (revision: string) => void,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  let token = "";
  for (let page = 0; page < pagesMax; page++) {
    const query =
      token === ""
        ? `limit=${pageLimit}&resourceVersion=0`
        : `limit=${pageLimit}&continue=${encodeURIComponent(token)}`;
    const answer = (await reader.get(`${listPathOf(rehearsed)}?${query}`)) as {
      items?: readonly Readonly<Record<string, unknown>>[];
      metadata?: { continue?: string; resourceVersion?: string };
    };
    if (page === 0) keepRevision(answer.metadata?.resourceVersion ?? "");
    yield* answer.items ?? [];
    token = answer.metadata?.continue ?? "";
    if (token === "") return;
  }
  throw new UnreadableSource(
    `there are more than ${pageLimit * pagesMax} ${rehearsed.kind.type.resource}, the limit of a rehearsal`,
  );
}

function refusalOf(error: Error, { kind: { type } }: RehearsedKind): string {
  if (isApiError(error, "Forbidden", "Unauthorized"))
    return `you may not list these objects; the missing rule is: apiGroups ["${type.group}"], resources ["${type.resource}"], verbs ["list"] (\`--print-role\` prints all rules)`;
  if (isApiError(error, "NotFound")) return `the API server does not serve ${apiVersionOf(type)}`;
  return error.message;
}
