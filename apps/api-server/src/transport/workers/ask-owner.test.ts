import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, silentLogger, tooManyRequests } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ApiRequest, ApiResponse, Handle } from "../../http/api-request.ts";
import { textResponse } from "../../http/api-request.ts";
import { linkPair } from "../../testing/link-pair.ts";
import { ConnectionCut } from "../connections/connection-cut.ts";
import { answerWorker } from "./answer-worker.ts";
import { askOwner, type AskOwnerOptions } from "./ask-owner.ts";
import type { Link } from "./link.ts";

// A worker's requests as the owner's `handle` gets them, and its responses as the worker gets them.

let owner: Link;
let worker: Link;
beforeEach(async () => {
  ({ owner, worker } = await linkPair());
});
afterEach(() => {
  owner.close();
  worker.close();
});

/** Returns the worker's function; the owner answers with `handle`. */
function joined(handle: Handle, options: Partial<AskOwnerOptions> = {}): Handle {
  answerWorker({ handle, clock: systemClock, log: silentLogger }, owner);
  return askOwner({ link: worker, clock: systemClock }, options);
}

function request(given: Partial<ApiRequest> = {}): ApiRequest {
  return { method: "GET", path: "/", headers: {}, signal: new AbortController().signal, ...given };
}

/** A request with a body; `read` reads it. */
function posted(headers: ApiRequest["headers"], read: NonNullable<ApiRequest["readBody"]>): ApiRequest {
  return request({ method: "POST", headers, bodyStream: (async function* () {})(), readBody: read });
}

const nameOf = ({ identity }: ApiRequest) => textResponse(200, identity?.name ?? "nobody");
const textOf = ({ body }: ApiResponse) => Buffer.from(body as Uint8Array).toString();

test("a request keeps its user while its body is read and the users are numbered again", async () => {
  const ask = joined(async (asked) => nameOf(asked), { usersMax: 8 });
  let finish = () => {};
  const slow = ask({
    ...posted({ "content-length": "1" }, () => new Promise((resolve) => (finish = () => resolve(Buffer.from("x"))))),
    identity: { name: "first", groups: [] },
  });
  const others = Array.from({ length: 9 }, (_, i) => request({ identity: { name: `u-${i}`, groups: [] } }));
  const named = await Promise.all(others.map(async (each) => textOf(await ask(each))));
  expect(named).toEqual(others.map(({ identity }) => identity?.name));
  finish();
  expect(textOf(await slow)).toBe("first");
});

test("a client that does not send its short body is answered without it", async () => {
  const ask = joined(async () => textResponse(401, "who are you?"));
  const never = () => new Promise<never>(() => {});
  expect((await ask(posted({ "content-length": "1" }, never))).status).toBe(401);
});

test("a short body that arrives late is read by the owner", async () => {
  const ask = joined(async ({ readBody }) => {
    const bytes = await readBody?.(() => {});
    return textResponse(200, Buffer.from(bytes ?? []).toString());
  });
  const late = async () => {
    await sleep(200);
    return Buffer.from("late");
  };
  expect(textOf(await ask(posted({ "content-length": "4" }, late)))).toBe("late");
});

test("the number of a request that is still answered is not given to another request", async () => {
  const ask = joined(
    async ({ path }) => {
      const body = (async function* () {
        yield Buffer.from(`first of ${path}`);
        await sleep(300);
        yield Buffer.from(`last of ${path}`);
      })();
      return path.startsWith("/watch") ? { status: 200, headers: {}, body } : textResponse(200, path);
    },
    { requestNumberMax: 8 },
  );
  const watches = await Promise.all(["/watch/a", "/watch/b"].map((path) => ask(request({ path }))));
  const read = watches.map(async ({ body }) => {
    const pieces: string[] = [];
    for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(Buffer.from(piece).toString());
    return pieces;
  });
  for (let i = 0; i < 20; i++) expect(textOf(await ask(request({ path: `/${i}` })))).toBe(`/${i}`);
  expect(await Promise.all(read)).toEqual(["a", "b"].map((w) => [`first of /watch/${w}`, `last of /watch/${w}`]));
});

test("the owner learns of a client that has disconnected before the owner follows it", async () => {
  const gone = new AbortController();
  const ask = joined(async (asked) => {
    await sleep(20);
    const { signal } = asked;
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
    return textResponse(200, "the owner knows");
  });
  const answer = ask(request({ signal: gone.signal }));
  gone.abort(new Error("the caller has disconnected"));
  expect(textOf(await answer)).toBe("the owner knows");
});

test("the end of a worker ends the reading of its bodies", async () => {
  let failed: Promise<unknown> | undefined;
  const begun = new Promise<void>((resolve) => {
    const ask = joined(async ({ readBody }) => {
      failed = readBody?.(() => {}).catch((error: unknown) => error);
      resolve();
      await failed;
      return textResponse(200, "");
    });
    ask(posted({ "content-length": "100000" }, () => new Promise(() => {}))).catch(() => {});
  });
  await begun;
  worker.close();
  expect(await failed).toEqual(new ApiError("BadRequest", "the body of the request broke off"));
});

test("what the owner begins for a worker that has ended fails at once", async () => {
  let results: Promise<unknown[]> | undefined;
  const begun = new Promise<void>((resolve) => {
    const ask = joined(async (asked) => {
      resolve();
      await owner.closed;
      const stream = owner.stream(1);
      const broken = new Promise((done) => stream.once("close", done)).then(() => "broken");
      const body = asked.readBody?.(() => {}).catch(({ message }: Error) => message);
      const { aborted } = asked.signal;
      results = Promise.all([body, broken]).then((ended) => [aborted, ...ended]);
      await results;
      return textResponse(200, "");
    });
    ask(posted({ "content-length": "100000" }, () => new Promise(() => {}))).catch(() => {});
  });
  await begun;
  worker.close();
  await owner.closed;
  await sleep(20);
  expect(await results).toEqual([true, "the body of the request broke off", "broken"]);
});

test("a request is refused while too many bytes wait for an owner that does not run", async () => {
  const body = Buffer.alloc(60_000);
  const ask = joined(async () => textResponse(200, "stored"), { unsentBytesMax: 500_000 });
  const post = () => ask(posted({ "content-length": "60000" }, async () => body));
  // All requests of one turn of the event loop wait, as if the owner did not run.
  const answers = await Promise.all(Array.from({ length: 20 }, post));
  const stored = answers.filter(({ status }) => status === 200).length;
  expect(stored).toBeGreaterThan(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20 - stored);
  expect(stored).toBeLessThan(12);
  expect((await post()).status).toBe(200);
});

test("a response breaks off like its connection when the owner ends", async () => {
  const ask = joined(async () => ({
    status: 200,
    headers: {},
    body: (async function* () {
      yield Buffer.from("begun");
      await sleep(2_000);
    })(),
  }));
  const { body } = await ask(request());
  const read = (async () => {
    for await (const _ of body as AsyncIterable<Uint8Array>) owner.close();
  })();
  await expect(read).rejects.toBeInstanceOf(ConnectionCut);
});

test.each([
  ["of a refused length is not read", { "content-length": "100000" }, false],
  ["of unknown length is read until it is refused", { "transfer-encoding": "chunked" }, true],
])("a body %s", async (_, headers, isRead) => {
  let read: { take: (bytes: number) => void; refused: AbortSignal | undefined } | undefined;
  const ask = joined(async ({ readBody }) => {
    const refusal = await readBody?.(() => {
      throw tooManyRequests("too many bytes");
    }).catch(({ message }: Error) => message);
    return textResponse(429, String(refusal));
  });
  const answer = await ask(
    posted(headers, (take, refused) => {
      read = { take, refused };
      take(70_000);
      return new Promise((_resolve, reject) => {
        refused?.addEventListener("abort", () => reject(refused.reason as Error));
      });
    }),
  );
  expect([answer.status, textOf(answer)]).toEqual([429, "too many bytes"]);
  expect(read?.refused?.aborted).toBe(isRead ? true : undefined);
});

test("a client whose response is cut is reset, after the response has begun, too", async () => {
  const ask = joined(async () => ({
    status: 200,
    headers: {},
    body: (async function* () {
      yield Buffer.from("begun");
      throw new ConnectionCut();
    })(),
  }));
  const { body } = await ask(request());
  const read = (async () => {
    for await (const _ of body as AsyncIterable<Uint8Array>);
  })();
  await expect(Promise.race([read, sleep(2_000)])).rejects.toBeInstanceOf(ConnectionCut);
});

test("a response that nobody reads is forgotten when its client has disconnected", async () => {
  const gone = new AbortController();
  const ask = joined(async () => ({
    status: 200,
    headers: {},
    body: (async function* () {
      yield Buffer.from("unread");
    })(),
  }));
  await ask(request({ signal: gone.signal }));
  await sleep(20);
  gone.abort();
  await sleep(20);
  expect([worker.openStream(1), owner.openStream(1)]).toEqual([undefined, undefined]);
});
