import { ApiError, type StatusDetails, type StatusReason } from "@kintsugi/api";
import type { ServerTls } from "@kintsugi/daemon";
import type { UserInfo } from "../../authorization/authorization.ts";
import type { ApiResponse } from "../../http/api-request.ts";

/** The request of a client, without its body. */
export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly rawHeaders?: readonly string[] | undefined;
  readonly remoteAddress?: string | undefined;
  /** The number of the certificate's user; absent without a certificate. */
  readonly user?: number | undefined;
  readonly upgrade?: string | undefined;
  /**
   * "sent": the body is in the frame; "waits": the worker reads the body when the owner asks for
   * it; "broken": the body could not be read.
   */
  readonly body?: "sent" | "waits" | "broken" | undefined;
}

/** The messages of a worker over the channel of its process, not over the link. */
export type WorkerMessage = { readonly listening: readonly number[] } | { readonly lacksTls: true };

/** The answer to `lacksTls`. */
export interface OwnerMessage {
  readonly tls: ServerTls;
}

export interface NumberedUser {
  readonly number: number;
  readonly user: UserInfo;
}

export interface ResponseHead {
  /** The response without its body and its tunnel. */
  readonly response: Pick<ApiResponse, "status" | "headers" | "setCookies" | "isPassedOn" | "messages">;
  /**
   * "stream": the body follows in the request's stream; "tunnel": the stream replaces the client's
   * connection; absent: the body is in the frame.
   */
  readonly body?: "stream" | "tunnel" | undefined;
}

/** An error of a body. */
export interface Fault {
  readonly reason: StatusReason;
  readonly message: string;
  readonly code: number;
  readonly details?: StatusDetails | undefined;
}

export function faultOf(error: unknown): Fault {
  const { reason, message, code, details } =
    error instanceof ApiError ? error : new ApiError("BadRequest", (error as Error).message);
  return { reason, message, code, details };
}

export function apiErrorOf({ reason, message, code, details }: Fault): ApiError {
  return new ApiError(reason, message, { code, ...(details === undefined ? {} : { details }) });
}
