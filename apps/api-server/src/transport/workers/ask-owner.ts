import { tooManyRequests } from "@kintsugi/api";
import { type Clock, onAbort } from "@kintsugi/clock";
import type { UserInfo } from "../../authorization/authorization.ts";
import type { ApiRequest, ApiResponse, Handle } from "../../http/api-request.ts";
import { announcedBytes } from "../../http/bodies/read-body.ts";
import { errorResponse } from "../../http/status.ts";
import { ConnectionCut } from "../connections/connection-cut.ts";
import { type LinkFrame, frameTypes, headAndBytes, jsonBytes, readHeadAndBytes, jsonOf } from "./frame.ts";
import type { Link } from "./link.ts";
import type { LinkStream } from "./link-stream.ts";
import { apiErrorOf, type Fault, faultOf, type RequestHead, type ResponseHead } from "./messages.ts";

/**
 * A body up to this length is read before the owner gets its request, which saves a message in each
 * direction. A longer body is read when its client is authorized.
 */
const sentBodyBytesMax = 64 * 1024;

export interface AskOwnerOptions {
  /**
   * The numbers of requests begin again at 1 after this number. A number has 4 bytes in a frame,
   * and 0 belongs to no request. Default 2^32 - 1.
   */
  readonly requestNumberMax: number;
  /**
   * Users of certificates that have a number; after this number, users are numbered again. The
   * nodes of the largest cluster are 5,000. Default 10,000.
   */
  readonly usersMax: number;
  /**
   * While more bytes than this wait for the owner, requests are refused. An owner that runs takes
   * the longest bodies within a second. Default 64 MiB.
   */
  readonly unsentBytesMax: number;
}

const defaults: AskOwnerOptions = {
  requestNumberMax: 2 ** 32 - 1,
  usersMax: 10_000,
  unsentBytesMax: 64 * 2 ** 20,
};

/**
 * A client that does not send its short body by then may get its answer without it, because most
 * refusals do not depend on the body.
 */
const bodyPatienceMs = 100;

interface Waiting {
  readonly request: ApiRequest;
  /** The whole body, of which the worker has begun to read before the owner asks for it. */
  early?: Promise<Uint8Array>;
  /** Called when the owner does not store the rest of the body. */
  refuse?: (reason: Error) => void;
  readonly resolve: (response: ApiResponse) => void;
  readonly reject: (error: Error) => void;
}

/** Returns the function by which an HTTP worker passes requests to the store's owner. */
export function askOwner(
  { link, clock }: { link: Link; clock: Pick<Clock, "after"> },
  options: Partial<AskOwnerOptions> = {},
): Handle {
  const { requestNumberMax, usersMax, unsentBytesMax } = { ...defaults, ...options };
  const waiting = new Map<number, Waiting>();
  const users = new NumberedUsers(link, usersMax);
  let last = 0;
  const nextNumber = (): number => {
    // A watch may have had its number since before the numbers began again.
    do last = last >= requestNumberMax ? 1 : last + 1;
    while (waiting.has(last));
    return last;
  };
  link.onFrame = (frame) => {
    const asked = waiting.get(frame.request);
    if (asked === undefined) return;
    receive(link, asked, frame);
    if (frame.type !== frameTypes.response && frame.type !== frameTypes.cut) return;
    const stream = link.openStream(frame.request);
    // The owner may still follow the client of a stream.
    if (stream === undefined) waiting.delete(frame.request);
    else stream.once("close", () => waiting.delete(frame.request));
  };
  void link.closed.then(() => {
    for (const asked of waiting.values()) asked.reject(new ConnectionCut());
    waiting.clear();
  });
  return (request) =>
    new Promise((resolve, reject) => {
      const number = nextNumber();
      waiting.set(number, { request, resolve, reject });
      const send = (body: RequestHead["body"], bytes?: Uint8Array) => {
        if (link.unsentBytes > unsentBytesMax) {
          waiting.delete(number);
          return resolve(errorResponse(tooManyRequests()));
        }
        // The users may have been numbered again while the body was read.
        const user = request.identity === undefined ? undefined : users.numberOf(request.identity);
        link.send(frameTypes.request, number, headAndBytes(headOf(request, { user, body }), bytes));
      };
      const length = bodyLengthOf(request);
      if (length === undefined) send("waits");
      else if (request.readBody === undefined || length === 0) send(undefined);
      else {
        const early = request.readBody(() => {});
        waiting.set(number, { request, resolve, reject, early });
        let isSent = false;
        const sendOnce: typeof send = (body, bytes) => {
          late.cancel();
          if (!isSent) send(body, bytes);
          isSent = true;
        };
        const late = clock.after(bodyPatienceMs, () => sendOnce("waits"));
        early.then(
          (bytes) => sendOnce("sent", bytes),
          (error: unknown) => sendOnce("broken", ...jsonBytes(faultOf(error))),
        );
      }
    });
}

function headOf(request: ApiRequest, { user, body }: Pick<RequestHead, "user" | "body">): RequestHead {
  const { method, path, headers, rawHeaders, remoteAddress, upgrade } = request;
  return { method, path, headers, rawHeaders: repeated(rawHeaders), remoteAddress, user, upgrade, body };
}

/**
 * The headers as received are sent only where a header was sent twice, because otherwise the
 * headers by name have the same values.
 */
function repeated(rawHeaders: readonly string[] | undefined): readonly string[] | undefined {
  if (rawHeaders === undefined) return undefined;
  const names = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) names.add((rawHeaders[i] ?? "").toLowerCase());
  return names.size * 2 === rawHeaders.length ? undefined : rawHeaders;
}

/** Returns undefined for a body that the owner has to ask for. */
function bodyLengthOf(request: ApiRequest): number | undefined {
  if (request.bodyStream === undefined) return 0;
  // Only another server reads the body of such a method.
  if (request.readBody === undefined) return undefined;
  const length = Number(request.headers["content-length"]);
  return length <= sentBodyBytesMax ? length : undefined;
}

function receive(link: Link, asked: Waiting, { type, request: number, payload }: LinkFrame): void {
  const { request } = asked;
  switch (type) {
    case frameTypes.response:
      return asked.resolve(responseOf(link, { number, request, payload }));
    case frameTypes.cut:
      asked.reject(new ConnectionCut());
      // The client's response may have begun.
      return void link.openStream(number)?.destroy(new ConnectionCut());
    case frameTypes.caller:
      return request.onCaller?.({ name: payload.toString("utf8"), groups: [] });
    case frameTypes.followClient:
      return whenGone(request, () => link.send(frameTypes.gone, number));
    case frameTypes.readBody:
      return void sendBody(link, number, asked);
    case frameTypes.refuseBody:
      return asked.refuse?.(apiErrorOf(jsonOf<Fault>(payload)));
    case frameTypes.streamBody:
      return void pump(asked, link.stream(number));
    default:
      return;
  }
}

/** The client may have disconnected before the owner follows it. */
function whenGone({ signal }: ApiRequest, listener: () => void): void {
  if (signal.aborted) listener();
  else onAbort(signal, listener);
}

interface Answered {
  readonly number: number;
  readonly request: ApiRequest;
  readonly payload: Buffer;
}

function responseOf(link: Link, { number, request, payload }: Answered): ApiResponse {
  const { head, bytes } = readHeadAndBytes<ResponseHead>(payload);
  const { response, body } = head;
  if (body === undefined) {
    // The owner may have read the request's body as a stream, which ends with the response.
    link.openStream(number)?.resume();
    return { ...response, body: bytes };
  }
  const stream = link.stream(number);
  if (body === "tunnel") return { ...response, body: new Uint8Array(), tunnel: { socket: stream, head: bytes } };
  // The request's body may still be on its way in the other direction.
  if (stream.writableLength === 0 && !stream.isPumped) stream.end();
  // The body of a response that could not begin has no reader.
  whenGone(request, () => stream.resume());
  return { ...response, body: stream };
}

async function sendBody(link: Link, number: number, asked: Waiting): Promise<void> {
  const refused = new AbortController();
  asked.refuse = (reason) => refused.abort(reason);
  // The owner has already counted an announced length.
  const isCounted = announcedBytes(asked.request.headers) !== undefined;
  const take = (bytes: number) => {
    if (isCounted) return;
    const payload = Buffer.allocUnsafe(4);
    payload.writeUInt32LE(bytes);
    link.send(frameTypes.bodyBytes, number, [payload]);
  };
  try {
    const bytes = await (asked.early ?? asked.request.readBody?.(take, refused.signal));
    link.send(frameTypes.body, number, bytes === undefined ? [] : [bytes]);
  } catch (error) {
    link.send(frameTypes.bodyFault, number, jsonBytes(faultOf(error)));
  }
}

async function pump({ request, early }: Waiting, stream: LinkStream): Promise<void> {
  stream.isPumped = true;
  try {
    const body = early === undefined ? request.bodyStream : [await early];
    for await (const bytes of body ?? []) {
      if (stream.destroyed) return;
      if (!stream.write(bytes)) await stream.untilDrained();
    }
    stream.end();
  } catch (error) {
    stream.destroy(error as Error);
  }
}

/** Each user is sent once, however many requests its certificates make. */
class NumberedUsers {
  readonly #link: Link;
  readonly #usersMax: number;
  #byIdentity = new WeakMap<UserInfo, number>();
  readonly #byText = new Map<string, number>();

  constructor(link: Link, usersMax: number) {
    this.#link = link;
    this.#usersMax = usersMax;
  }

  numberOf(user: UserInfo): number {
    let number = this.#byIdentity.get(user);
    if (number !== undefined) return number;
    const text = JSON.stringify(user);
    number = this.#byText.get(text);
    if (number === undefined) {
      if (this.#byText.size === this.#usersMax) {
        this.#byText.clear();
        this.#byIdentity = new WeakMap();
      }
      number = this.#byText.size + 1;
      this.#byText.set(text, number);
      this.#link.send(frameTypes.user, 0, jsonBytes({ number, user }));
    }
    this.#byIdentity.set(user, number);
    return number;
  }
}
