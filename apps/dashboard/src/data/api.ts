/** A request that the server refused, with upstream's text; the code is 0 without an answer. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The Kubernetes API at the page's own origin, with the rights of the page's user. */
export interface Api {
  /** @throws RequestRefused */
  get(path: string, signal?: AbortSignal): Promise<unknown>;
  /** Yields each line of an answer as it arrives, parsed. @throws RequestRefused */
  lines(path: string, signal: AbortSignal): AsyncGenerator<unknown>;
  /** Yields the text of an answer as it arrives. @throws RequestRefused */
  text(path: string, signal: AbortSignal): AsyncGenerator<string>;
}

/** A longer line is not an event of an API server, whose objects have at most some megabytes. */
const lineLengthMax = 16 * 1024 * 1024;

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/** @param send the browser's fetch */
export function createApi(send: Fetch): Api {
  const open = async (path: string, signal?: AbortSignal): Promise<Response> => {
    let response: Response;
    try {
      response = await send(path, {
        headers: { accept: "application/json" },
        credentials: "same-origin",
        cache: "no-store",
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      if (signal?.aborted === true) throw cause;
      throw new RequestRefused(0, "the server does not answer", { cause });
    }
    if (response.ok) return response;
    throw new RequestRefused(response.status, await messageOf(response));
  };
  async function* text(path: string, signal: AbortSignal): AsyncGenerator<string> {
    const { body } = await open(path, signal);
    if (body === null) return;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    } finally {
      await reader.cancel().catch(() => {});
    }
  }
  return {
    text,
    get: async (path, signal) => (await open(path, signal)).json(),
    async *lines(path, signal) {
      let rest = "";
      for await (const piece of text(path, signal)) {
        const parts = (rest + piece).split("\n");
        rest = parts.pop() ?? "";
        if (rest.length > lineLengthMax) throw new RequestRefused(0, "the server sends a line that does not end");
        for (const part of parts) if (part !== "") yield JSON.parse(part);
      }
    },
  };
}

/** The message of a Status, or the code for another answer. */
async function messageOf(response: Response): Promise<string> {
  try {
    const { message } = (await response.json()) as { message?: unknown };
    if (typeof message === "string") return message;
  } catch {
    // An answer of another program, such as a proxy, need not be JSON.
  }
  return `the server answered ${response.status}`;
}
