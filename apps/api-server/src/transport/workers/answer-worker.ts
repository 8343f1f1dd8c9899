import { type ApiError, badRequest, type Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { relay } from "@kintsugi/streaming";
import type { UserInfo } from "../../authorization/authorization.ts";
import type { ApiRequest, ApiResponse, Handle } from "../../http/api-request.ts";
import { bodyBytesMax } from "../../http/bodies/body-limits.ts";
import { announcedBytes, bodyBrokeOff } from "../../http/bodies/read-body.ts";
import { methodsWithBody } from "../../request/request-body.ts";
import { ConnectionCut } from "../connections/connection-cut.ts";
import { stallTimeoutMs, writeBody } from "../connections/write-body.ts";
import { type LinkFrame, frameTypes, headAndBytes, jsonBytes, readHeadAndBytes, jsonOf } from "./frame.ts";
import type { Link } from "./link.ts";
import { apiErrorOf, type Fault, faultOf, type NumberedUser, type RequestHead, type ResponseHead } from "./messages.ts";

export interface OwnerDeps {
  /** Resets the client's connection where it throws ConnectionCut. */
  handle: Handle;
  clock: Pick<Clock, "after">;
  log: Logger;
}

/** A request of a worker's client that is being answered. */
interface Answering {
  readonly request: ApiRequest;
  /** Called for the frames about the request's body. */
  onBody?: (frame: LinkFrame) => void;
  onGone?: () => void;
  onWorkerEnd?: () => void;
}

/** Answers the requests that an HTTP worker sends. Aborts them when the worker ends. */
export function answerWorker(deps: OwnerDeps, link: Link): void {
  const answering = new Map<number, Answering>();
  const users = new Map<number, UserInfo>();
  link.onFrame = (frame) => {
    const { type, request: number, payload } = frame;
    switch (type) {
      case frameTypes.user: {
        const { number: userNumber, user } = jsonOf<NumberedUser>(payload);
        // The worker numbers its users again.
        if (userNumber === 1) users.clear();
        return void users.set(userNumber, user);
      }
      case frameTypes.request: {
        const begun = begin(link, frame, users);
        answering.set(number, begun);
        return void answer(deps, { link, number, request: begun.request }).finally(() => answering.delete(number));
      }
      case frameTypes.gone:
        return answering.get(number)?.onGone?.();
      default:
        return answering.get(number)?.onBody?.(frame);
    }
  };
  void link.closed.then(() => {
    for (const each of answering.values()) {
      each.onWorkerEnd?.();
      each.onGone?.();
    }
  });
}

function begin(link: Link, { request: number, payload }: LinkFrame, users: ReadonlyMap<number, UserInfo>): Answering {
  const { head, bytes } = readHeadAndBytes<RequestHead>(payload);
  const { method, path, headers, rawHeaders, remoteAddress, upgrade, user } = head;
  let gone: AbortController | undefined;
  const begun: Answering = {
    request: {
      method,
      path,
      headers,
      rawHeaders,
      remoteAddress,
      identity: user === undefined ? undefined : users.get(user),
      // A client with a certificate is known to the worker.
      onCaller:
        user === undefined ? ({ name }) => link.send(frameTypes.caller, number, [Buffer.from(name)]) : undefined,
      upgrade,
      readBody: bodyReaderOf(link, {
        number,
        head,
        bytes,
        onBody: (handler) => (begun.onBody = handler),
        onWorkerEnd: (listener) => (begun.onWorkerEnd = listener),
      }),
      get bodyStream() {
        if (head.body === undefined) return undefined;
        return head.body === "waits" ? streamedBody(link, number) : readBytes(bytes);
      },
      get signal() {
        if (gone === undefined) {
          gone = new AbortController();
          if (link.isClosed) gone.abort(clientGone);
          else link.send(frameTypes.followClient, number);
        }
        return gone.signal;
      },
    },
    onGone: () => gone?.abort(clientGone),
  };
  return begun;
}

/**
 * All requests share one error instance, because a stack trace for each request would be wasted.
 */
const clientGone = new Error("the client has disconnected");
const noBytes = Buffer.alloc(0);

interface BodyToRead {
  readonly number: number;
  readonly head: RequestHead;
  readonly bytes: Buffer;
  readonly onBody: (handler: (frame: LinkFrame) => void) => void;
  readonly onWorkerEnd: (listener: () => void) => void;
}

function bodyReaderOf(link: Link, { number, head, bytes, onBody, onWorkerEnd }: BodyToRead): ApiRequest["readBody"] {
  if (!methodsWithBody.has(head.method) || head.upgrade !== undefined) return undefined;
  switch (head.body) {
    case undefined:
      return async () => noBytes;
    case "sent":
      return async (take) => {
        take(bytes.byteLength);
        return bytes;
      };
    case "broken":
      return async () => {
        throw apiErrorOf(jsonOf<Fault>(bytes));
      };
    case "waits":
      return (take) =>
        new Promise((resolve, reject) => {
          const announced = announcedBytes(head.headers);
          // A body that is refused for its length is not read at all.
          if (announced !== undefined && announced <= bodyBytesMax) take(announced);
          onBody(({ type, payload }) => {
            if (type === frameTypes.body) return resolve(payload);
            if (type === frameTypes.bodyFault) return reject(apiErrorOf(jsonOf<Fault>(payload)));
            if (type !== frameTypes.bodyBytes || announced !== undefined) return;
            try {
              take(payload.readUInt32LE(0));
            } catch (error) {
              link.send(frameTypes.refuseBody, number, jsonBytes(faultOf(error)));
              reject(error as ApiError);
            }
          });
          if (link.isClosed) return reject(bodyBrokeOff());
          onWorkerEnd(() => reject(bodyBrokeOff()));
          link.send(frameTypes.readBody, number);
        });
  }
}

async function* readBytes(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The worker sends the body only when it is read. */
async function* streamedBody(link: Link, number: number): AsyncGenerator<Uint8Array> {
  const stream = link.stream(number);
  stream.isPumped = true;
  link.send(frameTypes.streamBody, number);
  try {
    // The stream remains open for the response.
    yield* stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

interface Asked {
  readonly link: Link;
  readonly number: number;
  readonly request: ApiRequest;
}

async function answer(deps: OwnerDeps, { link, number, request }: Asked): Promise<void> {
  let hasBegun = false;
  try {
    const response = await deps.handle(request);
    await send(deps, { link, number, onBegin: () => (hasBegun = true) }, response);
  } catch (error) {
    if (error instanceof ConnectionCut) return link.send(frameTypes.cut, number);
    deps.log.warn("stream broke off", { error });
    link.openStream(number)?.destroy(error as Error);
    // A client whose response has begun gets the bytes before the failure.
    if (!hasBegun) link.send(frameTypes.cut, number);
  }
}

async function send(
  { clock }: OwnerDeps,
  { link, number, onBegin }: Pick<Asked, "link" | "number"> & { onBegin: () => void },
  response: ApiResponse,
): Promise<void> {
  // The audit log has already read `bodyAsJson`.
  const { body, tunnel, bodyAsJson: _, ...rest } = response;
  const sendHead = (form: ResponseHead["body"], bytes?: Uint8Array) => {
    const head: ResponseHead = { response: rest, body: form };
    link.send(frameTypes.response, number, headAndBytes(head, bytes));
    onBegin();
  };
  if (tunnel !== undefined) {
    sendHead("tunnel", tunnel.head);
    return relay(link.stream(number), tunnel.socket);
  }
  if (body instanceof Uint8Array) {
    sendHead(undefined, body);
    // The rest of a body that was read as a stream is discarded.
    link.openStream(number)?.end().resume();
    return;
  }
  const stream = link.stream(number);
  if (!stream.isPumped) stream.resume();
  sendHead("stream");
  await writeBody(stream, body, { clock, stallMs: stallTimeoutMs });
  if (stream.isPumped) stream.resume();
}
