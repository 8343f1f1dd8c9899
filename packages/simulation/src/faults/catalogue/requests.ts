import { ApiError, badRequest } from "@kintsugi/api";
import type { PlannedFault } from "../../scenario/scenario.ts";
import type { AskedRequest } from "../../network/request-faults.ts";
import { type Fault, setting, share, alreadyOver, word, wordsIn } from "../fault.ts";

const second = 1000;
const common = { target: "none", catalogue: [], drawnApart: true, onlyByName: true } as const;
const writes: readonly string[] = ["create", "update", "patch", "delete", "deletecollection"];
const reads: readonly string[] = ["get", "list", "watch"];
const verbs: readonly string[] = ["read", "write", ...reads, ...writes];
/** The settings that choose requests. */
const choosing = { user: "kubernetes-admin", userAgent: "my-operator", verb: "write", resource: "pods" } as const;

/**
 * Faults of the API server in the view of its callers. The settings `user`, `userAgent`, `verb` and
 * `resource` select requests: a user agent by its prefix, a verb by name or as `write` or `read`, a
 * resource with or without its group.
 */
export const requestFaults: readonly Fault[] = [
  {
    ...common,
    name: "api-refuses",
    sentence:
      "The API server responds to a share `share` of the selected requests with the code `code`, to a share `doneShare` of them after they were executed.",
    lasts: true,
    settings: { ...choosing, share: 0.25, doneShare: 0.5, code: 500 },
    inject: ({ cluster, random }, planned) => {
      const [refused, done] = [share(planned, "share", 1), share(planned, "doneShare", 0)];
      const refusal = refusalOf(setting(planned, "code", 500));
      const isMeant = chosenBy(planned);
      return cluster.server.requests.add((asked) =>
        isMeant(asked) && random.float() < refused ? { refusal, isDone: random.float() < done } : undefined,
      );
    },
  },
  {
    ...common,
    name: "api-slow",
    sentence: "The API server starts to serve the selected requests `delayMs` later.",
    lasts: true,
    settings: { ...choosing, delayMs: second },
    inject: ({ cluster }, planned) => {
      const delayMs = setting(planned, "delayMs", second);
      if (delayMs < 0 || delayMs > delayMaxMs)
        throw badRequest(`with.delayMs must be between 0 and ${delayMaxMs}, not ${delayMs}`);
      const isMeant = chosenBy(planned);
      return cluster.server.requests.add((asked) => (isMeant(asked) ? { delayMs } : undefined));
    },
  },
  {
    ...common,
    name: "api-conflicts",
    sentence:
      "A share `share` of the selected updates and patches is rejected with a conflict, as if another client had written first.",
    lasts: true,
    settings: { ...choosing, verb: "update", share: 0.25 },
    inject: ({ cluster, random }, planned) => {
      const refused = share(planned, "share", 1);
      const isMeant = chosenBy(planned);
      const refusal = new ApiError(
        "Conflict",
        "the object has been modified; please apply your changes to the latest version and try again",
      );
      const conflicting = (asked: AskedRequest) =>
        (asked.verb === "update" || asked.verb === "patch") && isMeant(asked) && random.float() < refused;
      return cluster.server.requests.add((asked) => (conflicting(asked) ? { refusal, isDone: false } : undefined));
    },
  },
  {
    ...common,
    name: "api-cuts-watches",
    sentence: "The connections of the selected watches of external clients are reset.",
    lasts: false,
    settings: choosing,
    inject: ({ cluster }, planned) =>
      cluster.server.requests.cutWatches(chosenBy(planned)) > 0 ? alreadyOver : undefined,
  },
  {
    ...common,
    name: "api-forgets",
    sentence: "The API server has compacted its history: the selected watches get 410 when they resume.",
    lasts: true,
    settings: choosing,
    inject: ({ cluster }, planned) => {
      const isMeant = chosenBy(planned);
      const refusal = new ApiError("Expired", "The resourceVersion for the provided watch is too old.");
      const resumes = ({ verb, path }: AskedRequest) => verb === "watch" && /[?&]resourceVersion=[1-9]/.test(path);
      return cluster.server.requests.add((asked) =>
        resumes(asked) && isMeant(asked) ? { refusal, isDone: false } : undefined,
      );
    },
  },
  {
    ...common,
    name: "api-serves-stale-lists",
    sentence: "The selected lists return the objects as they were when the fault began.",
    lasts: true,
    settings: choosing,
    inject: ({ cluster }, planned) => {
      const isMeant = chosenBy(planned);
      const revision = cluster.store.revision();
      return cluster.server.requests.add((asked) =>
        asked.verb === "list" && isMeant(asked) ? { path: asOf(asked.path, revision) } : undefined,
      );
    },
  },
];

/** The longest time that a client waits. */
const delayMaxMs = 60 * second;

/**
 * Returns the filter of requests by `user`, `userAgent`, `verb` and `resource`.
 * @throws ApiError BadRequest for an unknown verb.
 */
function chosenBy(planned: PlannedFault): (asked: AskedRequest) => boolean {
  const [user, verb, resource] = [wanted(planned, "user"), wanted(planned, "verb"), wanted(planned, "resource")];
  const userAgent = word(planned, "userAgent", "");
  for (const each of verb)
    if (!verbs.includes(each))
      throw badRequest(`with.verb: ${JSON.stringify(each)} is not a verb; the verbs are ${verbs.join(", ")}`);
  const isWanted = (words: readonly string[], ...names: readonly string[]) =>
    words.length === 0 || names.some((name) => words.includes(name));
  return (asked) =>
    isWanted(user, asked.user) &&
    asked.userAgent.startsWith(userAgent) &&
    isWanted(verb, asked.verb, writes.includes(asked.verb) ? "write" : "read") &&
    isWanted(resource, asked.resource, `${asked.resource}.${asked.group}`);
}

/** An empty setting selects every value. */
function wanted(planned: PlannedFault, name: string): readonly string[] {
  return wordsIn(word(planned, name, "")).filter((each) => each !== "");
}

/** @throws ApiError BadRequest for a code that these faults do not support. */
function refusalOf(code: number): ApiError {
  const message = "a fault that a test has requested";
  switch (code) {
    case 429:
      return new ApiError("TooManyRequests", message);
    case 503:
      return new ApiError("ServiceUnavailable", message);
    case 504:
      return new ApiError("Timeout", message);
    case 500:
      return new ApiError("InternalError", message);
    default:
      throw badRequest(`with.code must be one of 429, 500, 503 and 504, not ${code}`);
  }
}

/** A continued list already has its revision. */
function asOf(path: string, revision: number): string {
  const [bare = "", query = ""] = path.split("?", 2);
  const asked = new URLSearchParams(query);
  if (asked.has("continue")) return path;
  asked.set("resourceVersion", String(revision));
  asked.set("resourceVersionMatch", "Exact");
  return `${bare}?${asked.toString()}`;
}
