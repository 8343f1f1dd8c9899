import { ApiError } from "@kintsugi/api";
import type { PlannedFault } from "../../scenario/scenario.ts";
import type { AskedRequest } from "../../network/request-faults.ts";
import { type Fault, setting, struck, word } from "../fault.ts";

const second = 1000;
const common = { target: "none", catalogue: [], drawnApart: true, onlyByName: true } as const;
const writes: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/**
 * Faults of the API server in the view of its callers. The settings `user`, `userAgent`, `verb` and
 * `resource` choose requests: a user agent by its beginning, a verb also as `write` or `read`.
 */
export const requestFaults: readonly Fault[] = [
  {
    ...common,
    name: "api-refuses",
    sentence:
      "The API server answers a share `share` of the chosen requests with the code `code`, a share `doneShare` of them after they were done.",
    lasts: true,
    inject: ({ cluster, random }, planned) => {
      const [share, doneShare] = [setting(planned, "share", 1), setting(planned, "doneShare", 0)];
      const refusal = refusalOf(setting(planned, "code", 500));
      return cluster.server.requests.add((asked) =>
        isMeant(planned, asked) && random.float() < share ? { refusal, isDone: random.float() < doneShare } : undefined,
      );
    },
  },
  {
    ...common,
    name: "api-slow",
    sentence: "The API server begins to serve the chosen requests `delayMs` later.",
    lasts: true,
    inject: ({ cluster }, planned) => {
      const delayMs = Math.min(setting(planned, "delayMs", second), delayMaxMs);
      return cluster.server.requests.add((asked) => (isMeant(planned, asked) ? { delayMs } : undefined));
    },
  },
  {
    ...common,
    name: "api-conflicts",
    sentence: "A share `share` of the chosen updates and patches is refused as if another writer had been faster.",
    lasts: true,
    inject: ({ cluster, random }, planned) => {
      const share = setting(planned, "share", 1);
      const refusal = new ApiError(
        "Conflict",
        "the object has been modified; please apply your changes to the latest version and try again",
      );
      const conflicting = (asked: AskedRequest) =>
        (asked.verb === "update" || asked.verb === "patch") && isMeant(planned, asked) && random.float() < share;
      return cluster.server.requests.add((asked) => (conflicting(asked) ? { refusal, isDone: false } : undefined));
    },
  },
  {
    ...common,
    name: "api-cuts-watches",
    sentence: "The connections of the chosen watches of clients outside are reset.",
    lasts: false,
    inject: ({ cluster }, planned) =>
      cluster.server.requests.cutWatches((asked) => isMeant(planned, asked)) > 0 ? struck : undefined,
  },
  {
    ...common,
    name: "api-forgets",
    sentence: "The API server has compacted its history: the chosen watches that resume are answered with 410.",
    lasts: true,
    inject: ({ cluster }, planned) => {
      const refusal = new ApiError("Expired", "The resourceVersion for the provided watch is too old.");
      const resumes = ({ verb, path }: AskedRequest) => verb === "watch" && /[?&]resourceVersion=[1-9]/.test(path);
      return cluster.server.requests.add((asked) =>
        resumes(asked) && isMeant(planned, asked) ? { refusal, isDone: false } : undefined,
      );
    },
  },
  {
    ...common,
    name: "api-serves-stale-lists",
    sentence: "The chosen lists show the objects as they were when the fault began.",
    lasts: true,
    inject: ({ cluster }, planned) => {
      const revision = cluster.store.revision();
      return cluster.server.requests.add((asked) =>
        asked.verb === "list" && isMeant(planned, asked) ? { path: asOf(asked.path, revision) } : undefined,
      );
    },
  },
];

/** No client waits longer. */
const delayMaxMs = 60 * second;

function isMeant(planned: PlannedFault, { user, userAgent, verb, resource }: AskedRequest): boolean {
  const wanted = (name: string) => word(planned, name, "");
  const verbMeant = wanted("verb");
  const isWrite = writes.has(verb);
  return (
    isOneOf(wanted("user"), user) &&
    userAgent.startsWith(wanted("userAgent")) &&
    (verbMeant === "write" ? isWrite : verbMeant === "read" ? !isWrite : isOneOf(verbMeant, verb)) &&
    isOneOf(wanted("resource"), resource)
  );
}

/** An empty wish means every value; several are separated by commas. */
function isOneOf(wanted: string, value: string): boolean {
  return wanted === "" || wanted.split(",").some((each) => each.trim() === value);
}

function refusalOf(code: number): ApiError {
  const message = "a fault that a test has asked for";
  switch (code) {
    case 429:
      return new ApiError("TooManyRequests", message);
    case 503:
      return new ApiError("ServiceUnavailable", message);
    case 504:
      return new ApiError("Timeout", message);
    default:
      return new ApiError("InternalError", message);
  }
}

/** A continued list has its revision already. */
function asOf(path: string, revision: number): string {
  const [bare = "", query = ""] = path.split("?", 2);
  const asked = new URLSearchParams(query);
  if (asked.has("continue")) return path;
  asked.set("resourceVersion", String(revision));
  asked.set("resourceVersionMatch", "Exact");
  return `${bare}?${asked.toString()}`;
}
