import { onAbort } from "@kintsugi/clock";
import type { UserInfo } from "../../authorization/authorization.ts";
import type { ApiRequest, ApiResponse, Handle } from "../../http/api-request.ts";
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
/** Users of certificates that have a number. The nodes of the largest cluster are 5,000. */
const usersMax = 10_000;

interface Waiting {
  readonly request: ApiRequest;
  /** The owner does not store the rest of the body. */
  refusal?: Error;
  readonly resolve: (response: ApiResponse) => void;
  readonly reject: (error: Error) => void;
}

/** Returns the function by which an HTTP worker passes requests to the store's owner. */
export function askOwner(link: Link): Handle {
  const waiting = new Map<number, Waiting>();
  const users = new NumberedUsers(link);
  let last = 0;
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
      last = (last + 1) >>> 0;
      const number = last;
      waiting.set(number, { request, resolve, reject });
      const user = request.identity === undefined ? undefined : users.numberOf(request.identity);
      const send = (body: RequestHead["body"], bytes?: Uint8Array) => {
        link.send(frameTypes.request, number, headAndBytes(headOf(request, { user, body }), bytes));
      };
      const length = bodyLengthOf(request);
      if (length === undefined) send("waits");
      else if (request.readBody === undefined || length === 0) send(undefined);
      else {
        request
          .readBody(() => {})
          .then(
            (bytes) => send("sent", bytes),
            (error: unknown) => send("broken", ...jsonBytes(faultOf(error))),
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
      return asked.resolve(responseOf(link, number, payload));
    case frameTypes.cut:
      return asked.reject(new ConnectionCut());
    case frameTypes.caller:
      return request.onCaller?.({ name: payload.toString("utf8"), groups: [] });
    case frameTypes.followClient:
      return void onAbort(request.signal, () => link.send(frameTypes.gone, number));
    case frameTypes.readBody:
      return void sendBody(link, number, asked);
    case frameTypes.refuseBody:
      asked.refusal = apiErrorOf(jsonOf<Fault>(payload));
      return;
    case frameTypes.streamBody:
      return void pump(request, link.stream(number));
    default:
      return;
  }
}

function responseOf(link: Link, number: number, payload: Buffer): ApiResponse {
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
  return { ...response, body: stream };
}

async function sendBody(link: Link, number: number, asked: Waiting): Promise<void> {
  const take = (bytes: number) => {
    if (asked.refusal !== undefined) throw asked.refusal;
    const payload = Buffer.allocUnsafe(4);
    payload.writeUInt32LE(bytes);
    link.send(frameTypes.bodyBytes, number, [payload]);
  };
  try {
    const bytes = await asked.request.readBody?.(take);
    link.send(frameTypes.body, number, bytes === undefined ? [] : [bytes]);
  } catch (error) {
    link.send(frameTypes.bodyFault, number, jsonBytes(faultOf(error)));
  }
}

async function pump({ bodyStream }: ApiRequest, stream: LinkStream): Promise<void> {
  stream.isPumped = true;
  try {
    for await (const bytes of bodyStream ?? []) {
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
  #byIdentity = new WeakMap<UserInfo, number>();
  readonly #byText = new Map<string, number>();

  constructor(link: Link) {
    this.#link = link;
  }

  numberOf(user: UserInfo): number {
    let number = this.#byIdentity.get(user);
    if (number !== undefined) return number;
    const text = JSON.stringify(user);
    number = this.#byText.get(text);
    if (number === undefined) {
      if (this.#byText.size === usersMax) {
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
