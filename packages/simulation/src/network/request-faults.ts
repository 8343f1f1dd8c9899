import { type ApiError, parseObjectPath, toStatus } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";

/** A request in the form by which the faults of an API server select. */
export interface AskedRequest {
  readonly user: string;
  readonly userAgent: string;
  /** "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection". */
  readonly verb: string;
  /** "pods"; a subresource is "pods/status". */
  readonly resource: string;
  /** "" for the core group. */
  readonly group: string;
  /** The path with its query. */
  readonly path: string;
}

/** The fate of a request; undefined leaves it unchanged. */
type RequestFate =
  /** The request is rejected, either before it is served or after it was carried out. */
  | { readonly refusal: ApiError; readonly isDone: boolean }
  | { readonly delayMs: number }
  /** The request is served as if it had this path. */
  | { readonly path: string };

interface RequestLike {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly identity?: { readonly name: string } | undefined;
}

interface ResponseLike {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

type Decide = (asked: AskedRequest) => RequestFate | undefined;

interface OpenWatch {
  readonly asked: AskedRequest;
  cut(): void;
}

/** The faults between an API server and its callers, selected by caller and request. */
export class RequestFaults {
  readonly #faults = new Set<Decide>();
  readonly #watches = new Set<OpenWatch>();

  get isFaulty(): boolean {
    return this.#faults.size > 0;
  }

  /** @returns a function that ends the fault. */
  add(decide: Decide): () => void {
    const entry: Decide = (asked) => decide(asked);
    this.#faults.add(entry);
    return () => void this.#faults.delete(entry);
  }

  /** Cuts the open watches of external clients. @returns their number. */
  cutWatches(isMeant: (asked: AskedRequest) => boolean): number {
    const cut = [...this.#watches].filter(({ asked }) => isMeant(asked));
    for (const watch of cut) watch.cut();
    return cut.length;
  }

  /** Serves a request with its fate. */
  async pass<Asked extends RequestLike, Answer extends ResponseLike>(
    request: Asked,
    { clock, serve }: { clock: Clock; serve: (request: Asked) => Promise<Answer> },
  ): Promise<Answer | ResponseLike> {
    if (this.#faults.size === 0) return serve(request);
    const asked = askedOf(request);
    let served = request;
    for (const decide of this.#faults) {
      const fate = decide(asked);
      if (fate === undefined) continue;
      if ("delayMs" in fate) await clock.sleep(fate.delayMs);
      else if ("path" in fate) served = Object.create(served, { path: { value: fate.path } }) as Asked;
      else {
        if (fate.isDone) await serve(served);
        return refused(fate.refusal);
      }
    }
    return serve(served);
  }

  /** If the response to an external client is a watch, makes it possible to cut the watch. */
  cuttable<Answer extends ResponseLike>(request: RequestLike, answer: Answer): Answer {
    const asked = askedOf(request);
    if (asked.verb !== "watch" || answer.body instanceof Uint8Array) return answer;
    let cut = () => {};
    const isCut = new Promise<"cut">((resolve) => (cut = () => resolve("cut")));
    const watch = { asked, cut: () => cut() };
    this.#watches.add(watch);
    return { ...answer, body: untilCut(answer.body, { isCut, onEnd: () => this.#watches.delete(watch) }) };
  }
}

async function* untilCut(
  body: AsyncIterable<Uint8Array>,
  { isCut, onEnd }: { isCut: Promise<"cut">; onEnd: () => void },
): AsyncGenerator<Uint8Array, void> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([pieces.next(), isCut]);
      if (next === "cut") throw new Error("connection reset");
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    onEnd();
    void pieces.return?.().catch(() => {});
  }
}

function refused(refusal: ApiError): ResponseLike {
  const body = Buffer.from(JSON.stringify(toStatus(refusal)));
  return { status: refusal.code, headers: { "content-type": "application/json" }, body };
}

/**
 * Reads the facts that are known before a caller is authenticated; a token's claims about its owner
 * are trusted.
 */
export function askedOf({ method, path, headers, identity }: RequestLike): AskedRequest {
  const [bare = "", query = ""] = path.split("?", 2);
  const target = parseObjectPath(bare);
  const suffix = target === undefined || target.subresource === "" ? "" : `/${target.subresource}`;
  return {
    user: headers["impersonate-user"] ?? identity?.name ?? ownerOf(headers["authorization"]),
    userAgent: headers["user-agent"] ?? "",
    verb: verbOf(method, { isOfName: target !== undefined && target.name !== "", query }),
    resource: target === undefined ? "" : `${target.resource}${suffix}`,
    group: target?.group ?? "",
    path,
  };
}

const verbsByMethod: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch" };

function verbOf(method: string, { isOfName, query }: { isOfName: boolean; query: string }): string {
  if (method === "DELETE") return isOfName ? "delete" : "deletecollection";
  if (method !== "GET") return verbsByMethod[method] ?? method.toLowerCase();
  if (/(?:^|&)watch=(?:1|true)(?:&|$)/.test(query)) return "watch";
  return isOfName ? "get" : "list";
}

/** The subject of a token that is a JWT; "" for other tokens. */
function ownerOf(authorization: string | undefined): string {
  const payload = authorization?.split(".")[1];
  if (payload === undefined) return "";
  try {
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as { sub?: unknown } | null;
    return typeof claims?.sub === "string" ? claims.sub : "";
  } catch {
    return "";
  }
}
