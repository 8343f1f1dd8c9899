import { timingSafeEqual } from "node:crypto";
import { ApiError, toStatus } from "@kintsugi/api";
import {
  type ApiRequest,
  type ApiResponse,
  type ApiServer,
  type BuiltInResource,
  jsonResponse,
  parseRequestInfo,
} from "@kintsugi/api-server/factory";
import { administrator } from "../access/identities.ts";
import { apiVersion } from "./control-body.ts";

type Handle = ApiServer["handle"];

export interface ControlEntryPointDeps {
  /** Responds while the API server responds. */
  handle: Handle;
  /**
   * Reports that no API server process answers, because a fault has ended or paused the process.
   */
  isAway: () => boolean;
  /** The resources by which a test steers its cluster. */
  routes: readonly BuiltInResource[];
  /** Bearer token of the administrator. */
  token: string;
}

const prefix = `/apis/${apiVersion}/`;

/**
 * Routes requests for the clock, faults and marks past an API server that is down, so that outside
 * clients can undo the fault. While it is down, only the administrator is accepted.
 */
export class ControlEntryPoint {
  readonly #deps: ControlEntryPointDeps;
  readonly #routes: ReadonlyMap<string, BuiltInResource>;

  constructor(deps: ControlEntryPointDeps) {
    this.#deps = deps;
    this.#routes = new Map(deps.routes.map((route) => [route.type.resource, route]));
  }

  get routes(): readonly BuiltInResource[] {
    return this.#deps.routes;
  }

  /** The faults of the API server do not affect these requests. */
  readonly isControl = ({ path }: { readonly path: string }): boolean => {
    if (!path.startsWith(prefix)) return false;
    const [resource = ""] = path.slice(prefix.length).split(/[/?]/, 1);
    return this.#routes.has(resource);
  };

  readonly handle: Handle = (request) =>
    this.#deps.isAway() && this.isControl(request) ? this.#answer(request) : this.#deps.handle(request);

  async #answer(request: ApiRequest): Promise<ApiResponse> {
    try {
      if (!this.#isAdministrator(request)) throw away();
      const info = parseRequestInfo(request.method, request.path);
      const answer = this.#routes.get(info.resource)?.verbs[info.verb];
      if (answer === undefined)
        throw new ApiError("MethodNotAllowed", `${info.resource} does not support the verb ${info.verb}`);
      const body = await request.readBody?.(() => {});
      return await answer(body === undefined ? request : { ...request, body }, info, administrator);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return jsonResponse(error.code, toStatus(error));
    }
  }

  /**
   * A caller that impersonates another user is rejected, because an authorizer that could check
   * that user is not available now.
   */
  #isAdministrator({ identity, headers }: ApiRequest): boolean {
    if (Object.keys(headers).some((name) => name.startsWith("impersonate-"))) return false;
    if (identity !== undefined) return identity.groups.includes("system:masters");
    const [, token = ""] = /^Bearer +(\S+) *$/i.exec(headers["authorization"] ?? "") ?? [];
    const [given, own] = [Buffer.from(token), Buffer.from(this.#deps.token)];
    return given.length === own.length && timingSafeEqual(given, own);
  }
}

function away(): ApiError {
  return new ApiError(
    "ServiceUnavailable",
    "the API server is down because of a fault: until it runs again, only the administrator can steer the test server",
  );
}
